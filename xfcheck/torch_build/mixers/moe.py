"""Mixtures of experts: the router's choice, then k experts a token."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import torch

from ..marks import Linear, Site, Weighted, fitted
from .mlp import MLPLayer, activation

if TYPE_CHECKING:
    from ...architecture.mixers.moe import MoE
    from ..passes import Pass


class MoELayer(Weighted):
    """Router, experts as stored, shared experts."""

    def __init__(self, spec: MoE, site: Site) -> None:
        super().__init__(site)
        self.spec, router = spec, spec.router
        self.wide = site.hidden if spec.input_size is None else spec.input_size
        self.read = self.wide if spec.expert.input_size is None else spec.expert.input_size
        self.out = site.hidden if spec.expert.output_size is None else spec.expert.output_size
        self.scored = 2 * isqrt(spec.experts) if router.product_keys else spec.experts + router.zero_experts + router.extra_scores
        place = site.at("router")
        self.router = Linear(place, "router", self.scored, router.input_size or self.wide, bias=router.bias)
        own = Weighted(place)
        self.correction = None
        if router.correction != "none":
            shape = (self.scored,) if router.correction_rows is None else (router.correction_rows, self.scored)
            self.correction = own.tensor("correction", shape, kind=router.correction)
        if router.table_rows is not None:
            own.tensor("table", (router.table_rows, spec.experts_per_token), kind="buffer")
        self.own = own
        self.parts = self._experts(Weighted(site.at("experts")))
        self.shared = None if spec.shared is None else MLPLayer(spec.shared, site.at("shared_experts"), "shared.")
        self.shared_gate = (
            Linear(site.at("shared_experts"), "shared_gate", 1, self.wide) if spec.shared is not None and spec.shared_gate else None
        )

    def _experts(self, held: Weighted) -> dict[str, torch.Tensor]:
        """The experts' matrices by part, in the layout that the checkpoint has; `held` owns them."""
        spec, expert, inner, count = self.spec, self.spec.expert, self.spec.expert.intermediate_size, self.spec.experts
        self.held = held
        joined = spec.storage in ("stacked", "transposed") or (spec.storage == "separate" and expert.packing == "gate_up")
        first = (["gate_up"] if joined else ["gate", "up"]) if expert.gated else ["up"]
        out: dict[str, torch.Tensor] = {}
        for part in (*first, "down"):
            down = part == "down"
            rows = self.out if down else inner * (2 if part == "gate_up" else 1)
            columns = inner if down else self.read
            bias = expert.output_bias if down else expert.bias
            if spec.storage == "separate":
                many = count if down or not spec.router.zero_experts else self.scored
                out[part] = held.tensor(f"expert.{part}", (rows, columns), multiplies=True, count=many)
                if bias:
                    out[f"{part}_bias"] = held.tensor(f"expert.{part}_bias", (rows,), count=count)
            elif spec.storage == "flattened":
                out[part] = held.tensor(f"expert.{part}", (count * inner, self.read), multiplies=True)
            else:
                shape = (count, columns, rows) if spec.storage == "transposed" else (count, rows, columns)
                out[part] = held.tensor(f"expert.{part}", shape, multiplies=True)
                if bias:
                    out[f"{part}_bias"] = held.tensor(f"expert.{part}_bias", (count, rows))
        return out

    def matrix(self, part: str, expert: int) -> torch.Tensor:
        """[out, in] of one expert."""
        whole, spec = self.parts[part], self.spec
        if spec.storage == "flattened":
            block = whole.unflatten(0, (spec.experts, -1))[expert]
            return block.T if part == "down" else block
        each = whole if whole.dim() == 2 else whole[expert]
        return each.T if spec.storage == "transposed" else each

    def one(self, expert: int, x: torch.Tensor) -> torch.Tensor:
        """Tokens `[t, d]` through one expert."""
        act = activation(self.spec.expert.activation)
        x = fitted(x, self.read)

        def mapped(part: str, value: torch.Tensor) -> torch.Tensor:
            bias = self.parts.get(f"{part}_bias")
            return torch.nn.functional.linear(
                value, self.matrix(part, expert), None if bias is None else bias if bias.dim() == 1 else bias[expert]
            )

        if not self.spec.expert.gated:
            return mapped("down", act(mapped("up", x)))
        gate, up = mapped("gate_up", x).chunk(2, dim=-1) if "gate_up" in self.parts else (mapped("gate", x), mapped("up", x))
        return mapped("down", act(gate) * up)

    def choice(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(weights, experts) of each token: `[t, k]` both."""
        router, k = self.spec.router, self.spec.experts_per_token
        logits = self.router(fitted(x, router.input_size))
        if router.softcap is not None:
            logits = router.softcap * torch.tanh(logits / router.softcap)
        score = {"sigmoid": torch.sigmoid, "sqrtsoftplus": lambda v: torch.nn.functional.softplus(v).sqrt()}.get(
            router.scoring, lambda v: torch.softmax(v, dim=-1)
        )
        scores = score(logits) if router.order == "score_then_topk" else logits
        ranked = scores if self.correction is None or self.correction.dim() != 1 else scores + self.correction
        if router.groups and router.groups_per_token and router.groups_per_token < router.groups:
            grouped = ranked.unflatten(-1, (router.groups, -1))
            best = (
                grouped.topk(min(router.group_score_experts or 1, grouped.shape[-1]), dim=-1)
                .values.sum(-1)
                .topk(router.groups_per_token, dim=-1)
                .indices
            )
            open_ = torch.zeros(grouped.shape[:-1], dtype=torch.bool, device=x.device).scatter(
                -1, best, torch.ones_like(best, dtype=torch.bool)
            )
            ranked = grouped.masked_fill(~open_[..., None], float("-inf")).flatten(-2)
        best, chosen = ranked.topk(min(k, ranked.shape[-1]), dim=-1)
        weights = best if ranked is scores else scores.gather(-1, chosen)
        weights = score(weights) if router.order == "topk_then_score" else weights
        if router.normalise and (router.order == "score_then_topk" or router.scoring != "softmax"):
            weights = weights / weights.sum(-1, keepdim=True)  # a softmax of the chosen sums to one already
        return weights * router.scale, chosen

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d].

        On `meta`, where no choice can be read, as many rows as are chosen pass through one expert: all cost the same.
        """
        spec, flat = self.spec, x.flatten(0, -2)
        weights, chosen = self.choice(flat)
        run.saw("router", weights)
        if spec.multiplied == "all":
            each = run.saw("expert.output", torch.stack([self.one(e, flat) for e in range(spec.experts)], dim=1))
            out = (each.gather(1, chosen[..., None].expand(-1, -1, each.shape[-1])) * weights[..., None]).sum(1)
        elif x.is_meta:
            rows = flat.shape[0] * spec.experts_per_token * spec.experts // (spec.experts + spec.router.zero_experts)
            out = run.saw("expert.output", self.one(0, flat[:1].expand(rows, -1))).sum(0, keepdim=True).expand(flat.shape[0], -1)
        else:
            out = self._routed(flat, weights, chosen)
        if self.shared is not None:
            with run.inside("shared"):
                always = self.shared(flat, run)
            out = out + (always if self.shared_gate is None else always * torch.sigmoid(self.shared_gate(flat)))
        return run.saw("output", out.unflatten(0, tuple(x.shape[:-1])))

    def _routed(self, flat: torch.Tensor, weights: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        out = flat.new_zeros(flat.shape[0], self.out)
        for expert in range(self.spec.experts + self.spec.router.zero_experts):
            token, place = (chosen == expert).nonzero(as_tuple=True)
            if len(token):
                given = self.one(expert, flat[token]) if expert < self.spec.experts else flat[token]
                out.index_add_(0, token, given * weights[token, place][:, None])
        return out
