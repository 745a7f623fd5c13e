"""A mixture of attention heads (Zhang et al. 2022, arXiv 2210.05144): each token chooses its query and output maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..marks import Linear
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.expert_attention import ExpertAttention
    from ..marks import Site
    from ..passes import Pass


class ExpertAttentionLayer(AttentionLayer):
    """Router, stacked queries and outputs, one map of keys and values; the heads of k experts attend over the shared keys."""

    def _maps(self, site: Site, over: Site, widths: tuple[int, int, int]) -> None:
        spec: ExpertAttention = self.spec  # type: ignore[assignment]
        wide, inner = widths[0], spec.kv_heads * spec.head_dim
        self.key_width, self.value_width = inner, spec.kv_heads * spec.values
        self.router = Linear(site.at("router"), "router", spec.experts, wide, bias=spec.router.bias)
        self.queries = self.tensor("query", (spec.experts, inner, wide), multiplies=True)
        self.outputs = self.tensor("output", (spec.experts, wide, inner), multiplies=True)
        self.shared_bias = self.tensor("shared_bias", (wide,)) if spec.shared_bias else None
        self.key_value = Linear(site, "key_value", inner + self.value_width, wide, bias="key" in spec.biases)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        spec: ExpertAttention = self.spec  # type: ignore[assignment]
        best = self.router(x).topk(spec.experts_per_token, dim=-1)
        weights, self.chosen = torch.softmax(best.values, dim=-1), best.indices
        query = self._by_choice(x[..., None, :].expand(*best.indices.shape, -1), self.queries)
        past, chosen = run.past, spec.experts_per_token
        at = torch.arange(past, past + x.shape[1], device=x.device) if run.positions is None else run.positions
        q = run.saw("query", self._turned(query.unflatten(-1, (spec.kv_heads, -1)).permute(0, 3, 2, 1, 4).flatten(1, 2), at))
        key, value = self.key_value(x).split([self.key_width, self.value_width], dim=-1)
        k, v = self._kept(key, value, run, at)
        seen_at = torch.arange(past + x.shape[1] - k.shape[2], past + x.shape[1], device=x.device)
        mixed = self._mixed(q, k, v, (at, seen_at if run.positions is None else run.positions), run)
        out = run.saw("concat", mixed.unflatten(1, (spec.kv_heads, chosen)).permute(0, 3, 2, 1, 4).flatten(2))
        parts = self._by_choice(out.unflatten(-1, (chosen, -1)), self.outputs)
        total = (parts * weights[..., None]).sum(-2)
        return run.saw("output", total if self.shared_bias is None else total + self.shared_bias)

    def _by_choice(self, x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """`[B, n, k, in]` through each token's own k of the stacked maps `[E, out, in]`; through one on `meta`, where none can be read."""
        if x.is_meta:
            return torch.nn.functional.linear(x, weights[0])
        return torch.einsum("bnki,bnkoi->bnko", x, weights[self.chosen])
