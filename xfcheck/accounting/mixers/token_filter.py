"""A short convolution that is added to what it reads (models/inkling/modeling_inkling.py of transformers 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work
from .mamba import convolution

if TYPE_CHECKING:
    from ...architecture.mixers.token_filter import TokenFilter
    from ..run import Run


def work(spec: TokenFilter, run: Run, stream: str) -> Work:
    """The depthwise convolution, as executed; with taps that the token gives, sums of products element by element: 0."""
    return Work(scan=convolution(spec.channels, spec.kernel, run, stream)) if spec.groups is None else NOTHING


def holds(spec: TokenFilter, stream: str) -> list[Held]:
    """K columns."""
    return [Held("conv", constant=spec.channels * spec.kernel, fp32=spec.wide)]
