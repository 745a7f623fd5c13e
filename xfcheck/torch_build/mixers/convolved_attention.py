"""Compressed convolutional attention (arXiv 2510.04476): queries and keys mixed over a few tokens, half of each value a token late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from ..marks import Linear
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.convolved_attention import ConvolvedAttention
    from ..marks import Site
    from ..passes import Pass


class ConvolvedAttentionLayer(AttentionLayer):
    """Two causal convolutions over queries and keys, the second with a matrix a head and tap; a trained scale of the keys."""

    def _maps(self, site: Site, over: Site, widths: tuple[int, int, int]) -> None:
        spec: ConvolvedAttention = self.spec  # type: ignore[assignment]
        has, wide, half = spec.biases, site.hidden, spec.kv_heads * spec.head_dim // 2
        self.query = Linear(site, "query", spec.query_heads * spec.head_dim, wide, bias="query" in has)
        self.key = Linear(site, "key", spec.kv_heads * spec.head_dim, wide, bias="key" in has)
        self.value = Linear(site, "value", half, wide, bias="value" in has)
        self.late = Linear(site.over("delayed"), "late_value", half, wide, bias="value" in has)
        self.conv, self.conv_bias = (
            self.tensor("conv", (spec.channels, 1, spec.depthwise_kernel)),
            self.tensor("conv_bias", (spec.channels,)),
        )
        self.grouped = self.tensor("grouped_conv", (spec.channels, spec.head_dim, spec.grouped_kernel), multiplies=True)
        self.grouped_bias = self.tensor("grouped_conv_bias", (spec.channels,))
        self.key_scale = self.tensor("key_scale", (spec.kv_heads,))
        self.output = Linear(site, "output", wide, spec.query_heads * spec.head_dim, bias="output" in has)

    def _projected(self, x: torch.Tensor, run: Pass) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
        spec: ConvolvedAttention = self.spec  # type: ignore[assignment]
        query = self.query(x)
        columns = torch.cat([query, self.key(x)], dim=-1).transpose(1, 2)
        before = run.state["conv"] if run.past else columns.new_zeros(*columns.shape[:2], spec.columns)
        whole = torch.cat([before, columns], dim=-1)
        run.state["conv"] = whole[..., whole.shape[-1] - spec.columns :]
        mixed = F.conv1d(whole, self.conv, self.conv_bias, groups=spec.channels)
        mixed = F.conv1d(mixed, self.grouped, self.grouped_bias, groups=spec.query_heads + spec.kv_heads).transpose(1, 2)
        query, key = mixed.split([query.shape[-1], mixed.shape[-1] - query.shape[-1]], dim=-1)
        key = (key.unflatten(-1, (spec.kv_heads, -1)) * self.key_scale[:, None]).flatten(-2)
        late = self.late(x if run.past else torch.cat([torch.zeros_like(x[:, :1]), x], dim=1))
        late = torch.cat([run.state["late"][:, None], late], dim=1) if run.past else late
        run.state["late"] = late[:, -1]
        halves = (self.value(x).unflatten(-1, (spec.kv_heads, -1)), late[:, :-1].unflatten(-1, (spec.kv_heads, -1)))
        return query, key, torch.cat(halves, dim=-1).flatten(-2), None
