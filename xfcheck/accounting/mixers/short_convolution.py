"""A gated short convolution (models/lfm2/modeling_lfm2.py of transformers 5.24): the convolution alone; its gates are elementwise (0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work
from .mamba import convolution

if TYPE_CHECKING:
    from ...architecture.mixers.short_convolution import ShortConvolution
    from ..run import Run


def work(spec: ShortConvolution, run: Run, stream: str) -> Work:
    """The depthwise convolution, as executed."""
    return Work(scan=convolution(spec.channels, spec.kernel, run, stream))


def holds(spec: ShortConvolution, stream: str) -> list[Held]:
    """K columns in the cache's dtype."""
    return [Held("conv", constant=spec.channels * spec.kernel, shifted=spec.channels * (spec.kernel - 1))]
