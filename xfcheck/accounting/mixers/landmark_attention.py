"""Attention through landmarks, as transformers' torch path executes it (models/nystromformer, models/yoso, models/mra, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work
from .attention import work as plain

if TYPE_CHECKING:
    from ...architecture.mixers.landmark_attention import LandmarkAttention
    from ..run import Run


def work(spec: LandmarkAttention, run: Run, stream: str) -> Work:
    """With L landmarks, n tokens and heads of width d: 2 H (4 n L d + L^2 d + n L^2 + 4 I L^3) for I iterations of the inverse.

    The convolution is the scan: 2 H K n d. Products in a kernel that torch does not see count nothing, as in the reference.
    """
    new, _ = run.length(stream)
    if not new or spec.uncounted:
        return NOTHING
    heads, width = 2 * spec.query_heads * run.batch, spec.head_dim
    scan = heads * (spec.kernel or 0) * new * width
    if spec.landmarks is None:
        own = plain(spec, run, stream)
        return Work(full=own.full, visible=own.visible, scan=scan)
    few = spec.landmarks
    products = heads * (4 * new * few * width + few * few * width + new * few * few + 4 * spec.iterations * few**3)
    return Work(full=products, visible=products, scan=scan)


def holds(spec: LandmarkAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
