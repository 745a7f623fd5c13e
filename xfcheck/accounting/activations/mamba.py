"""Mamba-1: both halves of its input map, the convolution's output, step, B and C."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.mamba import Mamba


def alive(spec: Mamba, hidden: int) -> int:
    """The input with both halves; x, gate, steps, B, C and the output."""
    return max(hidden + 2 * spec.inner_size, 4 * spec.inner_size + 2 * spec.state_size, spec.inner_size + hidden)
