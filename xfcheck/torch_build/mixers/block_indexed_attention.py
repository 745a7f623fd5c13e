"""Attention over blocks of keys by their largest score in a small attention, chosen anew by each query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from .. import masks, norms
from ..marks import Linear
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.block_indexed_attention import BlockIndexedAttention
    from ..marks import Site
    from ..passes import Pass


class BlockIndexedAttentionLayer(AttentionLayer):
    """Grouped-query attention; the indexer scores every key, and the best blocks and the nearest ones stay visible."""

    def __init__(self, spec: BlockIndexedAttention, site: Site) -> None:
        super().__init__(spec, site)
        indexer, wide = spec.indexer, site.hidden if spec.input_size is None else spec.input_size
        self.index_query = Linear(site, "indexer_query", indexer.heads * indexer.head_dim, wide)
        self.index_key = Linear(site, "indexer_key", indexer.head_dim, wide)
        self.query_index_norm = norms.NormLayer(site, "indexer_query_norm", indexer.norm, indexer.head_dim)
        self.key_index_norm = norms.NormLayer(site, "indexer_key_norm", indexer.norm, indexer.head_dim)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        spec: BlockIndexedAttention = self.spec  # type: ignore[assignment]
        indexer = spec.indexer
        at = torch.arange(run.past, run.past + x.shape[1], device=x.device)
        query = self.query_index_norm(self.index_query(x).unflatten(-1, (indexer.heads, -1)).transpose(1, 2))
        key = self.key_index_norm(self.index_key(x))
        key = torch.cat([run.state["index"], key], dim=1) if run.past else key
        run.state["index"] = key
        keys_at = torch.arange(key.shape[1], device=x.device)
        past = masks.visible(masks.CAUSAL, at, keys_at)
        scores = torch.matmul(query, key[:, None].transpose(-1, -2)).amax(1).masked_fill(~past, float("-inf"))
        self.picked = self._blocks(scores, at)[:, None]
        return super().forward(x, run)

    def _blocks(self, scores: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        """Visible keys `[B, n, m]` of the `top_blocks` best blocks, the query's own and its neighbours before always among them."""
        indexer = self.spec.indexer  # type: ignore[attr-defined]
        length = scores.shape[-1]
        best = F.pad(scores, (0, -length % indexer.block), value=float("-inf")).unflatten(-1, (-1, indexer.block)).amax(-1)
        blocks = torch.arange(best.shape[-1], device=scores.device)
        behind = at[:, None] // indexer.block - blocks
        best = best.masked_fill((behind >= 0) & (behind < indexer.local_blocks), float("inf"))
        chosen = best.sort(dim=-1, descending=True, stable=True).indices[..., : indexer.top_blocks]
        kept = torch.zeros_like(best, dtype=torch.bool).scatter(-1, chosen, torch.ones_like(chosen, dtype=torch.bool))
        return kept.repeat_interleave(indexer.block, dim=-1)[..., :length]

    def _seen(self, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        return super()._seen(at, run) & self.picked[..., -len(at[1]) :]
