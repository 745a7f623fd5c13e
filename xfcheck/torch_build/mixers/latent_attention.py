"""Latent attention: keys and values expanded from the kept latents, one rotary key for all heads, an indexer where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .. import masks, norms
from .. import positions as place
from ..marks import Linear, Site, Weighted, fitted

if TYPE_CHECKING:
    from ...architecture.mixers.latent_attention import LatentAttention
    from ..passes import Pass


class LatentAttentionLayer(Weighted):
    """As executed: kv_b multiplies every kept latent and the new ones in each pass."""

    def __init__(self, spec: LatentAttention, site: Site) -> None:
        super().__init__(site)
        self.spec, has, heads = spec, spec.biases, spec.query_heads
        wide = site.hidden if spec.input_size is None else spec.input_size
        each = (spec.query_dim or spec.nope_dim + spec.rope_dim) + (spec.value_dim if spec.gate == "query" else 0)
        if spec.query_rank is None:
            self.query = Linear(site, "query", heads * each, wide, bias="query" in has)
        else:
            self.query_a = Linear(site, "query_a", spec.query_rank, wide, bias="query_a" in has)
            self.query_norm = norms.NormLayer(site, "query_norm", spec.latent_norm, spec.query_rank)
            self.query_b = Linear(site, "query_b", heads * each, spec.query_input or spec.query_rank, bias="query_b" in has)
        self.kv_a = Linear(site, "kv_a", spec.kv_rank + (0 if spec.rope_apart else spec.rope_dim), wide, bias="kv_a" in has)
        self.rope_key = Linear(site, "rope_key", spec.rope_dim, wide) if spec.rope_apart else None
        self.kv_norm = norms.NormLayer(site, "kv_norm", spec.latent_norm, spec.kv_rank)
        self.rope_norm = norms.maybe(site, "rope_norm", spec.rope_norm, spec.rope_dim)
        self.kv_b = Linear(site.over("latent"), "kv_b", heads * (spec.nope_dim + spec.value_dim), spec.kv_rank, bias="kv_b" in has)
        out = site.hidden if spec.output_size is None else spec.output_size
        self.output = Linear(site, "output", out, heads * spec.value_dim, bias="output" in has)
        self.inner_norm = norms.maybe(site, "inner_norm", spec.output_norm, heads * spec.value_dim)
        if spec.gate in ("elementwise", "headwise"):
            self.gate = Linear(site, "gate", heads * (spec.value_dim if spec.gate == "elementwise" else 1), wide)
        self.sinks = self.tensor("sinks", (heads,)) if spec.sinks else None
        indexer = spec.indexer
        if indexer is not None and not indexer.shared:
            self.index_query = Linear(site, "indexer_query", indexer.heads * indexer.head_dim, spec.query_rank or wide)
            self.index_key = Linear(site, "indexer_key", indexer.head_dim, wide)
            self.index_norm = norms.NormLayer(site, "indexer_norm", indexer.key_norm, indexer.head_dim)
            self.index_weights = Linear(site, "indexer_weights", indexer.heads, wide)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        spec, new = self.spec, x.shape[1]
        at = torch.arange(run.past, run.past + new, device=x.device) if run.positions is None else run.positions
        ranked = x if spec.query_rank is None else self.query_norm(run.saw("query_latent", self.query_a(x)))
        read = fitted(ranked, spec.query_input)
        q = (self.query if spec.query_rank is None else self.query_b)(read).unflatten(-1, (spec.query_heads, -1)).transpose(1, 2)
        gate = None
        if spec.gate == "query":
            q, gate = q.split([q.shape[-1] - spec.value_dim, spec.value_dim], dim=-1)
        nope, rope = fitted(q, spec.nope_dim + spec.rope_dim).split([spec.nope_dim, spec.rope_dim], dim=-1)
        q = run.saw("query", torch.cat([nope, self._turned(rope, at)], dim=-1))
        latent, rope_key = self._latents(x, at, run)
        expanded = self.kv_b(latent).unflatten(-1, (spec.query_heads, -1)).transpose(1, 2)
        k, v = expanded.split([spec.nope_dim, spec.value_dim], dim=-1)
        k = run.saw("key", torch.cat([k, rope_key.expand(-1, spec.query_heads, -1, -1)], dim=-1))
        run.saw("value", v)
        scale = q.shape[-1] ** -0.5 if spec.scale is None else spec.scale
        scores = run.saw("scores", torch.matmul(q, k.transpose(-1, -2)) * scale)
        if spec.softcap is not None:
            scores = spec.softcap * torch.tanh(scores / spec.softcap)
        kept_at = (
            torch.arange(run.past + new - k.shape[2], run.past + new, device=x.device)
            if run.positions is None or run.past
            else run.positions
        )
        seen = masks.visible(spec.mask, at, kept_at)[None, None]
        if run.padding is not None:
            seen = seen & run.padding[:, None, None, -k.shape[2] :]
        if spec.indexer is not None and not spec.indexer.shared:
            seen = self._indexed(x, ranked, seen, run)
        weights = run.saw("weights", masks.softmax(scores, seen, self.sinks))
        out = run.saw("heads", torch.matmul(weights, v))
        out = out if gate is None else out * torch.sigmoid(gate)
        out = run.saw("concat", out.transpose(1, 2).flatten(2))
        if spec.gate in ("elementwise", "headwise"):
            given = torch.sigmoid(self.gate(x))
            out = (out.unflatten(-1, (spec.query_heads, -1)) * given.unflatten(-1, (spec.query_heads, -1))).flatten(-2)
        return run.saw("output", self.output(norms.apply(self.inner_norm, out)))

    def _turned(self, x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        position = self.spec.position
        return place.rotate(position, x, at) if position is not None and position.kind == "rotary" else x  # type: ignore[attr-defined, arg-type]

    def _latents(self, x: torch.Tensor, at: torch.Tensor, run: Pass) -> tuple[torch.Tensor, torch.Tensor]:
        """The normalised latents `[B, m, rank]` and the shared rotary key `[B, 1, m, rope]`, kept ones first; both are all that is kept."""
        latent = run.saw("latent", self.kv_a(x))
        if self.rope_key is None:
            latent, rope = latent.split([self.spec.kv_rank, self.spec.rope_dim], dim=-1)
        else:
            rope = self.rope_key(x)
        latent = self.kv_norm(latent)
        rope = self._turned(norms.apply(self.rope_norm, rope)[:, None], at)
        if run.past:
            latent, rope = torch.cat([run.state["latent"], latent], dim=1), torch.cat([run.state["rope"], rope], dim=2)
        keep = masks.kept(self.spec.mask, self.spec.kept_tokens)
        run.state.update(latent=masks.trimmed(latent, keep), rope=masks.trimmed(rope, keep))
        return latent, rope

    def _indexed(self, x: torch.Tensor, ranked: torch.Tensor, seen: torch.Tensor, run: Pass) -> torch.Tensor:
        """Visible keys narrowed to the best that the indexer picks: `[B, 1, n, m]`."""
        indexer = self.spec.indexer
        if indexer is None:
            return seen
        q = self.index_query(ranked).unflatten(-1, (indexer.heads, -1)).transpose(1, 2)
        k = self.index_norm(self.index_key(x))
        k = k.float() if indexer.full_precision else k
        k = torch.cat([run.state["index"], k], dim=1) if run.past else k
        run.state["index"] = k
        scores = torch.relu(torch.matmul(q, k.to(q.dtype)[:, None].transpose(-1, -2)) * indexer.head_dim**-0.5)
        weights = self.index_weights(x)[:, :, None, :] * indexer.heads**-0.5
        total = torch.matmul(weights, scores.transpose(1, 2)).squeeze(2)
        total = total.masked_fill(~seen[:, 0], float("-inf"))
        # stable: equal scores (a ReLU makes many) must not be chosen by how many keys there are
        best = total.sort(dim=-1, descending=True, stable=True).indices[..., : indexer.top_k]
        chosen = torch.zeros_like(total, dtype=torch.bool).scatter(-1, best, torch.ones_like(best, dtype=torch.bool))
        return seen & chosen[:, None]
