"""RWKV's time mixing: elementwise, so nothing beyond the matrices.

Source: models/rwkv/modeling_rwkv.py of transformers 5.24, rwkv_linear_attention_cpu.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.rwkv import TimeMix
    from ..run import Run


def work(spec: TimeMix, run: Run, stream: str) -> Work:
    """Nothing: the recurrence multiplies and adds element by element."""
    return NOTHING


def holds(spec: TimeMix, stream: str) -> list[Held]:
    """The last token in the cache's dtype; numerator, denominator and maximum in 32 bits.

    All are as wide as the residual stream, which the class demands.
    """
    return [Held("conv", constant=spec.width), Held("recurrent", constant=3 * spec.width, fp32=True)]
