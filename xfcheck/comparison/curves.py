"""Costs of a variant as functions of the context and of the batch: what plots and crossovers are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..accounting.budget import FALLBACK, encodes_only, source_tokens
from ..accounting.cache import cache
from ..accounting.dtypes import full_name
from ..accounting.flops import forward, matmul
from ..accounting.options import known_cache_dtype
from ..accounting.run import Run

if TYPE_CHECKING:
    from ..ledger import Row
    from .draft import Draft

FEED_FORWARD = ("mlp", "experts", "shared_experts", "router")


class Curves:
    """A variant at any context and batch, in the terms of its options; each value is the one that its budget gives there."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.decodes = not encodes_only(draft.model.architecture)
        self.dtype = full_name(draft.options.dtype) if draft.options.dtype else draft.model.architecture.dtype or "bfloat16"
        self.feed_forward = [row for row in draft.model.rows if row.role.component in FEED_FORWARD]

    def _source(self, context: int) -> int:
        options = self.draft.options
        return source_tokens(self.draft.model.architecture, context if options.source is None else options.source)

    def cache_bytes(self, context: int, batch: int | None = None) -> int:
        """Bytes of the cache of the whole batch, 0 where an engine has no known layout."""
        options = self.draft.options
        kept = known_cache_dtype(options.cache_dtype, options.engine) if options.cache_dtype else self.dtype
        held = cache(
            self.draft.model.architecture, batch=options.batch if batch is None else batch, context=context, source=self._source(context),
            dtype=kept or "bfloat16", engine=options.engine, model_dtype=self.dtype,
        )  # fmt: skip
        return int(held["bytes"] or 0)

    def _run(self, context: int, *, decode: bool) -> Run:
        new, past = (1, context) if decode else (context, 0)
        return Run(self.draft.options.batch, new, past, self._source(context))

    def flops(self, context: int, *, decode: bool = False) -> int:
        """FLOPs over visible pairs of a prefill of the context, or of one token after it."""
        return forward(self.draft.model.architecture, self.draft.model.rows, self._run(context, decode=decode))["total_visible"]

    def attention_lead(self, context: int, *, decode: bool = False) -> int:
        """FLOPs of scores and weighted values over visible pairs, minus those of feed-forward networks, experts and routers."""
        run = self._run(context, decode=decode)
        rows: list[Row] = self.feed_forward
        return forward(self.draft.model.architecture, self.draft.model.rows, run)["attention_visible"] - matmul(rows, run)


def usual_context(draft: Draft) -> int:
    """A context to draw up to: the one asked for, else the declared maximum."""
    return draft.options.context or draft.model.architecture.maximum_positions or FALLBACK
