"""Bytes on a device: weights, cache, logits, attention scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .activations import alive
from .dtypes import size
from .flops import padding
from .walk import mixers

if TYPE_CHECKING:
    from ..model import Model
    from .run import Run

LOG_SUM_EXP_BYTES = 4
"""A tiled kernel keeps one 32-bit log-sum-exp a query and head (FlashAttention-2, arXiv 2307.08691, section 3.1)."""


def weight_bytes(model: Model, dtype: str) -> int:
    """Bytes of all weights at `dtype`, but for tensors that have a dtype of their own."""
    return sum(size(row.elements, row.dtype or dtype) for row in model.rows if row.tied_to is None and row.kind != "not_loaded")


def memory(model: Model, run: Run, *, dtype: str, cache_bytes: int | None, weights: int) -> dict[str, Any]:
    """The `memory` object of the budget, in bytes.

    `activation_bytes` is null where a kind of mixer is not known (`accounting.activations`).
    """
    head = model.architecture.head
    logits = size(run.batch * run.new * head.rows, dtype) if head.rows else 0
    materialised, tiled = _scores(model, run, dtype)
    return {
        "weight_bytes": weights,
        "cache_bytes": cache_bytes,
        "logits_bytes": logits,
        "attention_scores_bytes": {"materialised": materialised, "tiled": tiled},
        "activation_bytes": alive(model.architecture, dtype, run),
        "training": None,
    }


def _scores(model: Model, run: Run, dtype: str) -> tuple[int, int]:
    """B * H_q * n * m of the largest layer at `dtype`, and B * H_q * n * 4 of a tiled kernel."""
    largest, tiled = 0, 0
    run = run._replace(padding=padding(model.architecture))
    for placed in mixers(model.architecture):
        heads = getattr(placed.mixer, "query_heads", None)
        if heads is None:
            continue
        new, past = run.length(placed.stack.stream)
        keys = run.source if placed.mixer.kind == "cross_attention" else past + new
        largest = max(largest, size(run.batch * heads * new * keys, dtype))
        tiled = max(tiled, run.batch * heads * new * LOG_SUM_EXP_BYTES)
    return largest, tiled
