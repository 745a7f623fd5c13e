"""Hashed n-gram vectors: the dilated depthwise convolution beside the matrices.

Source: models/qwen4_exp/modeling_qwen4_exp.py, transformers 5.24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.ngram_embedding import NgramEmbedding
    from ..run import Run


def work(spec: NgramEmbedding, run: Run, stream: str) -> Work:
    """2 K a channel and token: exactly one output for each new token."""
    new, _ = run.length(stream)
    return Work(scan=2 * run.batch * spec.streams * spec.hidden * spec.kernel * new)


def holds(spec: NgramEmbedding, stream: str) -> list[Held]:
    """The columns that the convolution reads, in the cache's dtype, and the last token ids (64 bits each: two elements of 32)."""
    columns = (spec.kernel - 1) * spec.order
    return [Held("conv", constant=spec.streams * spec.hidden * columns), Held("conv", constant=2 * (spec.order - 1), fp32=True)]
