"""Sinusoidal positions as written, and PE(p + k) as one linear map of PE(p) (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..torch_build.positions import sinusoid
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """Each entry against its own formula; a rotation by k theta_i of each pair against the later position."""
    tables = [e for e in (x.design.embedding, *(s.embedding for s in x.design.stacks)) if e is not None]
    if not any(getattr(e.position, "kind", None) == "sinusoidal" for e in tables):
        return
    width, count, move = 8, 32, 5
    held = sinusoid(x.span(count), width, x.place.dtype)
    wrong = moved = 0.0
    for p in range(count):
        for i in range(width // 2):
            theta = 10000 ** (-2 * i / width)
            wrong = max(wrong, abs(held[p, 2 * i].item() - math.sin(p * theta)), abs(held[p, 2 * i + 1].item() - math.cos(p * theta)))
            if p + move < count:
                sin, cos = held[p, 2 * i].item(), held[p, 2 * i + 1].item()
                later = sin * math.cos(move * theta) + cos * math.sin(move * theta)
                moved = max(moved, abs(later - held[p + move, 2 * i].item()))
    yield bounded("position_tables", wrong, x.exact, "entries against sin and cos of p theta_i")
    yield bounded("position_shift", moved, x.exact, f"PE(p + {move}) against one rotation of PE(p), whatever p")
