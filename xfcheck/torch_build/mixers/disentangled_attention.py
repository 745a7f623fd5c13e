"""Attention with separate scores of content and of relative position (He et al. 2020, arXiv 2006.03654, section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..marks import Linear, Site
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.disentangled_attention import DisentangledAttention
    from ..passes import Pass


class DisentangledAttentionLayer(AttentionLayer):
    """Softmax attention, and the products of queries and keys with rows of the stack's table of relative positions, on `meta`."""

    def __init__(self, spec: DisentangledAttention, site: Site) -> None:
        packed = spec.packing == "qkv"
        super().__init__(spec.model_copy(update={"biases": [b for b in spec.biases if b == "output"]}) if packed else spec, site)
        self.spec, wide = spec, spec.query_heads * spec.head_dim
        self.read = site.hidden if spec.input_size is None else spec.input_size
        for part in ("query", "value") if packed else ():
            if part in spec.biases:
                self.tensor(f"{part}_bias", (wide,))
        apart = site.over("absent")
        own = () if spec.shared_maps else tuple(spec.terms)
        self.position_key = Linear(apart, "position_key", wide, self.read, bias=spec.position_key_bias) if "c2p" in own else None
        self.position_query = Linear(apart, "position_query", wide, self.read, bias=True) if "p2c" in own else None
        heads = spec.query_heads
        self.talking = [Linear(apart, f"heads_{part}", heads, heads) for part in ("logits", "weights") if spec.talking_heads]
        self.held = torch.nn.ModuleList(self.talking)

    def _mixed(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        spec: DisentangledAttention = self.spec  # type: ignore[assignment]
        if not q.is_meta:
            raise NotImplementedError("scores of content with the stack's table of positions")
        rows = 2 * (min(spec.span, k.shape[2]) if spec.span_follows_length else spec.span)
        table = q.new_zeros(rows, self.read)
        maps = (self.query, self.key) if spec.shared_maps else (self.position_key, self.position_query)
        for linear in maps:
            if linear is not None:
                linear(table)
        for side in (q if term == "c2p" else k for term in spec.terms):
            torch.matmul(side, side.new_zeros(side.shape[-1], rows))
        for linear in self.talking:
            linear(q.new_zeros(q.shape[0], q.shape[2], k.shape[2], spec.query_heads))
        return super()._mixed(q, k, v, at, run)
