"""Compressed convolutional attention: attention, and the depthwise convolution before it.

Source: models/zaya/modeling_zaya.py, transformers 5.24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import attention
from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.convolved_attention import ConvolvedAttention
    from ..run import Run


def work(spec: ConvolvedAttention, run: Run, stream: str) -> Work:
    """Attention's pairs; the depthwise convolution 2 C K a column, n + K_2 - 1 columns.

    K_2 are the taps of the grouped convolution, which is a weight matrix.
    """
    new, _ = run.length(stream)
    columns = new + spec.grouped_kernel - 1 if new else 0
    scan = 2 * run.batch * spec.channels * spec.depthwise_kernel * columns
    return attention.work(spec, run, stream)._replace(scan=scan)


def holds(spec: ConvolvedAttention, stream: str) -> list[Held]:
    """Keys and values; the columns of queries and keys that the convolutions read, and the late half of a value, in the cache's dtype."""
    late = spec.kv_heads * spec.head_dim // 2
    return [*attention.holds(spec, stream), Held("conv", constant=spec.channels * spec.columns), Held("recurrent", constant=late)]
