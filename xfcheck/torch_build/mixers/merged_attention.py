"""Self-attention and cross attention in one softmax (Zhang et al. 2025, arXiv 2512.14856)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from .. import norms
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.merged_attention import MergedAttention
    from ..marks import Mark, Site
    from ..passes import Pass


class MergedAttentionLayer(AttentionLayer):
    """The decoder's own keys and those of the source, made by one pair of maps, under one softmax."""

    def __init__(self, spec: MergedAttention, site: Site) -> None:
        super().__init__(spec, site)
        for linear in (self.key, self.value):
            linear.marks = {name: self._both(mark) for name, mark in linear.marks.items()}

    def _both(self, mark: Mark) -> Mark:
        return replace(mark, stream="both") if mark.multiplies else mark

    def _mixed(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        if not run.past:
            if run.memory is None:
                raise NotImplementedError("merged attention without the other stream")
            key = norms.heads(self.key_norm, self._heads(self.key(run.memory), self.spec.kv_heads))
            value = norms.heads(self.value_norm, self._heads(self.value(run.memory), self.spec.kv_heads))
            run.state.update(source_key=key, source_value=value)
        self.source = run.state["source_key"].shape[2]
        k, v = torch.cat([k, run.state["source_key"]], dim=2), torch.cat([v, run.state["source_value"]], dim=2)
        return super()._mixed(q, k, v, at, run)

    def _seen(self, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        own = super()._seen(at, run)
        every = torch.ones(*own.shape[:-1], self.source, dtype=torch.bool, device=own.device)
        return torch.cat([own, every if run.source_padding is None else every & run.source_padding[:, None, None, :]], dim=-1)
