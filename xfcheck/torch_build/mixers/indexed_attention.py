"""Attention over whole blocks of keys that a small attention picks, and the tail that fills no block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .. import norms
from ..marks import Linear
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.indexed_attention import IndexedAttention
    from ..marks import Site
    from ..passes import Pass


class IndexedAttentionLayer(AttentionLayer):
    """Grouped-query attention and its indexer, which scores the whole blocks that a query has before it."""

    def __init__(self, spec: IndexedAttention, site: Site) -> None:
        super().__init__(spec, site)
        self.index = Linear(site, "index", (spec.index_heads + 1) * spec.index_dim, site.hidden)
        size = {"size": spec.index_dim}
        self.index_norms = [
            norms.maybe(site, part, norm and norm.model_copy(update=size), spec.index_dim)
            for part, norm in (("index_query_norm", spec.query_norm), ("index_key_norm", spec.key_norm))
        ]
        self.held = torch.nn.ModuleList(norm for norm in self.index_norms if norm is not None)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        spec: IndexedAttention = self.spec  # type: ignore[assignment]
        parts = self.index(x).unflatten(-1, (spec.index_heads + 1, -1))
        query, key = norms.apply(self.index_norms[0], parts[:, :, :-1]), norms.apply(self.index_norms[1], parts[:, :, -1])
        if run.past:
            key = torch.cat([run.state["index"], key], dim=1)
        run.state["index"] = key
        if spec.positions:
            run.state["positions"] = torch.zeros(3, *key.shape[:2], dtype=torch.long, device=x.device)
        self.picked = self._picked(query, key, run)
        return super().forward(x, run)

    def _picked(self, query: torch.Tensor, key: torch.Tensor, run: Pass) -> torch.Tensor:
        """The tokens that each query may see: `[B, 1, n, m]`, the best blocks and all after the last whole one."""
        spec: IndexedAttention = self.spec  # type: ignore[assignment]
        whole, rows = key.shape[1] // spec.ratio, []
        means = key[:, : whole * spec.ratio].unflatten(1, (whole, spec.ratio)).mean(2) if whole else key[:, :0]
        for i in range(query.shape[1]):
            seen = torch.ones(key.shape[0], key.shape[1], dtype=torch.bool, device=key.device)
            ended = (run.past + i + 1) // spec.ratio
            if ended:
                scores = torch.matmul(query[:, i], means[:, :ended].transpose(-1, -2)).relu().sum(1)
                best = scores.sort(dim=-1, descending=True, stable=True).indices[:, : spec.budget // spec.ratio]
                blocks = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, torch.ones_like(best, dtype=torch.bool))
                seen = torch.cat([blocks.repeat_interleave(spec.ratio, dim=-1), seen[:, ended * spec.ratio :]], dim=-1)
            rows.append(seen)
        return torch.stack(rows, dim=1)[:, None]

    def _seen(self, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        return super()._seen(at, run) & self.picked[..., -len(at[1]) :]
