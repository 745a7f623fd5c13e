"""ALiBi: a slope a head times the distance (Press et al. 2021, arXiv 2108.12409, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torch_build.positions import alibi, slopes
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """Slopes as a geometric sequence from 2 ** (-8 / H), and a bias that depends on the distance alone."""
    for spec in x.of("attention"):
        if getattr(spec.position, "kind", None) != "alibi":
            continue
        heads = spec.query_heads
        at = x.span(8)
        bias = alibi(heads, at, at, x.place.dtype)
        gap = (bias[:, 1:, 1:] - bias[:, :-1, :-1]).abs().max().item()
        if heads & (heads - 1) == 0:
            gap = max(gap, *(abs(s - 2 ** (-8 * (h + 1) / heads)) for h, s in enumerate(slopes(heads))))
        yield bounded("alibi", gap, x.exact, f"biases of equal distances, and the slopes of {heads} heads")
        return
