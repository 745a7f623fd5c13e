"""A short convolution that is added to what it reads (models/inkling/modeling_inkling.py of transformers 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work
from .mamba import convolution

if TYPE_CHECKING:
    from ...architecture.mixers.token_filter import TokenFilter
    from ..run import Run


def work(spec: TokenFilter, run: Run, stream: str) -> Work:
    """The depthwise convolution, as executed."""
    return Work(scan=convolution(spec.channels, spec.kernel, run, stream))


def holds(spec: TokenFilter, stream: str) -> list[Held]:
    """K columns."""
    return [Held("conv", constant=spec.channels * spec.kernel, fp32=spec.wide)]
