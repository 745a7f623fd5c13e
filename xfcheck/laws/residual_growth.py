"""How the residual stream grows from layer to layer at the start: pre-norm adds variances, post-norm holds them."""

from __future__ import annotations

from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING

from ..verification.check import Check
from .instance import own_choice

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from .instance import Instance

MOST = 10.0
"""Growth of one layer that starts within what 64 layers of 16-bit numbers can hold only where norms follow."""


def judge(x: Instance) -> Iterator[Check]:
    """Root mean squares of the stream after each residual step, and the largest factor between neighbours."""
    sizes: list[float] = []

    def see(name: str, value: torch.Tensor) -> None:
        if name == "embedding" or name.endswith(".residual"):
            sizes.append(value.square().mean().sqrt().item())

    x.run(x.ids(), see=see)
    if len(sizes) < 2:
        return
    factor = max((b / a if a else float("inf") for a, b in pairwise(sizes)), default=1.0)
    norms = {
        "before" if s.norm is not None else "after" if s.norm_residual is not None else "none"
        for st in x.small.stacks
        for b in st.blocks
        for s in b.sublayers
    }
    top = max(sizes)
    bars = "".join("▁▂▃▄▅▆▇█"[min(7, int(7 * v / top))] if top > 0 else "?" for v in sizes[:48])
    good = factor <= MOST
    why = f"largest growth in one residual step, norms {' and '.join(sorted(norms))}: {bars} {sizes[0]:.3g} to {sizes[-1]:.3g}"
    yield own_choice(
        x,
        Check(
            "init.residual_growth",
            f"at most {MOST:g}",
            "nan" if isnan(factor) else float(f"{factor:.3g}"),
            "agreed" if good else "differs",
            why,
        ),
    )
