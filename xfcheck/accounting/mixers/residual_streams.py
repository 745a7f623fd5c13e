"""Residual streams: the product with a matrix that each token computes, no weight's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.residual_streams import ResidualStreams
    from ..run import Run


def work(spec: ResidualStreams, run: Run, stream: str) -> Work:
    """2 * streams * streams * width a token."""
    new, _ = run.length(stream)
    return Work(scan=2 * spec.streams * spec.streams * spec.width * run.batch * new)


def holds(spec: ResidualStreams, stream: str) -> list[Held]:
    """Nothing."""
    return []
