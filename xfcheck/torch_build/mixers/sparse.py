"""Attention over chunks, blocks and marked tokens of a sequence that is filled up: the products, on `meta`, where no place can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..marks import Linear
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ..marks import Site
    from ..passes import Pass


class SparseAttentionLayer(AttentionLayer):
    """The maps of softmax attention; each kind says which blocks of queries meet which keys."""

    def _mixed(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        if not q.is_meta:
            raise NotImplementedError(f"attention of kind {self.spec.kind} with numbers")
        self._blocks(q, run)
        return q.new_zeros(*q.shape[:3], self.spec.values)

    def _blocks(self, q: torch.Tensor, run: Pass) -> None:
        raise NotImplementedError

    def _pairs(self, q: torch.Tensor, blocks: int, queries: int, keys: int, *, values: int | None = None) -> None:
        """`blocks` times: scores of `queries` with `keys`, and the sums of as many values (or of `values`)."""
        spec, first = self.spec, (q.shape[0], self.spec.query_heads, blocks)
        torch.matmul(q.new_zeros(*first, queries, spec.head_dim), q.new_zeros(*first, spec.head_dim, keys))
        if values is None:
            torch.matmul(q.new_zeros(*first, queries, keys), q.new_zeros(*first, keys, spec.values))
        elif values:
            torch.matmul(q.new_zeros(*first, queries, values), q.new_zeros(*first, values, spec.values))


class LongformerAttentionLayer(SparseAttentionLayer):
    """Chunks of two windows that overlap by one; weights over three windows; marked tokens through maps of their own (arXiv 2004.05150)."""

    def __init__(self, spec: Any, site: Site) -> None:
        super().__init__(spec, site)
        wide, marked = site.hidden if spec.input_size is None else spec.input_size, spec.mask.global_tokens > 0
        sizes = {"query": ("pooled", self.query_width), "key": (site.stream, self.key_width), "value": (site.stream, self.value_width)}
        self.marked = torch.nn.ModuleList(
            Linear(site.over(stream if marked else "absent"), f"{part}_global", size, wide, bias=part in spec.biases)
            for part, (stream, size) in sizes.items()
            if spec.global_maps
        )

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; one token a sequence is marked where any is."""
        if self.spec.mask.global_tokens and len(self.marked):
            query, *others = self.marked
            query(x[:, :1])
            for linear in others:
                linear(x)
        return super().forward(x, run)

    def _blocks(self, q: torch.Tensor, run: Pass) -> None:
        near, tokens, marked = self.spec.mask.window or 1, q.shape[2], self.spec.mask.global_tokens
        self._pairs(q, tokens // near - 1, 2 * near, 2 * near, values=0)
        self._pairs(q, tokens // near, near, 0, values=3 * near)
        for _ in range(2):
            self._pairs(q, 1, tokens, marked)


class BigBirdAttentionLayer(SparseAttentionLayer):
    """The first and the last block of queries meet all keys, the others their neighbours, drawn blocks, the first and the last."""

    def _blocks(self, q: torch.Tensor, run: Pass) -> None:
        spec: Any = self.spec
        if run.new <= spec.full_below:
            self._pairs(q, 1, q.shape[2], q.shape[2])
            return
        block, count, near = spec.block, q.shape[2] // spec.block, 4 + spec.random_blocks
        self._pairs(q, 2, block, q.shape[2])
        self._pairs(q, 2, block, near * block)
        self._pairs(q, count - 4, block, (near + 1) * block)


class GlobalLocalAttentionLayer(SparseAttentionLayer):
    """Tokens meet their block and trained vectors, which meet all; a staggered layer computes one block more (arXiv 2208.04347)."""

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n + G, d] -> [B, n + G, d]."""
        self.more = 2 * (self.spec.block // 2) if self.spec.staggered else 0  # type: ignore[attr-defined]
        beside = x.new_zeros(x.shape[0], self.more, x.shape[2])
        for linear in (self.query, self.key, self.value):
            linear(beside)
        if self.output is not None:
            self.output(x.new_zeros(x.shape[0], self.more, self.output.weight.shape[1]))
        return super().forward(x, run)

    def _blocks(self, q: torch.Tensor, run: Pass) -> None:
        spec: Any = self.spec
        tokens = q.shape[2] - spec.globals + self.more
        self._pairs(q, tokens // spec.block, spec.block, spec.block + spec.globals)
        self._pairs(q, 1, spec.globals, spec.globals + tokens)
