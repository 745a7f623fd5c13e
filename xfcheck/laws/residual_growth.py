"""How the residual stream grows from layer to layer at the start: pre-norm adds variances, post-norm holds them."""

from __future__ import annotations

from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING

import torch

from ..torch_build.initial import initialise
from ..torch_build.model import build
from ..torch_build.passes import Pass
from ..verification.check import Check
from .instance import SOURCE, bars, own_choice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.blocks import Stack, Sublayer
    from ..architecture.model import Architecture
    from .instance import Instance

MOST = 10.0
"""Growth of one layer that starts within what 64 layers of 16-bit numbers can hold only where norms follow."""


def judge(x: Instance) -> Iterator[Check]:
    """Root mean squares of the stream after each residual step, and the largest factor between neighbours.

    Beside it the same design with its norms on the other side of the sum, which is told and not judged.
    """
    sizes = stream(x, x.small)
    if len(sizes) < 2:
        return
    factor = max((b / a if a else float("inf") for a, b in pairwise(sizes)), default=1.0)
    places = {place(s) for st in x.small.stacks for b in st.blocks for s in b.sublayers}
    said = f"norms {' and '.join(sorted(places))}: {bars(sizes)} {sizes[0]:.3g} to {sizes[-1]:.3g}"
    if places in ({"before"}, {"after"}):
        other = stream(x, moved(x.small, after=places == {"before"}))
        said += f"; {'after' if places == {'before'} else 'before'} they would be: {bars(other)} {other[0]:.3g} to {other[-1]:.3g}"
    got = "nan" if isnan(factor) else float(f"{factor:.3g}")
    verdict = Check(
        "init.residual_growth", f"at most {MOST:g}", got, "agreed" if factor <= MOST else "differs", f"growth in one residual step, {said}"
    )
    yield own_choice(x, verdict)


def place(sublayer: Sublayer) -> str:
    """Where the norm of a residual step stands."""
    return "before" if sublayer.norm is not None else "after" if sublayer.norm_residual is not None else "none"


def moved(a: Architecture, *, after: bool) -> Architecture:
    """The design with its norms after the sums, or before the mixers."""

    def step(s: Sublayer) -> Sublayer:
        there, gone = ("norm_residual", "norm") if after else ("norm", "norm_residual")
        return s.model_copy(update={there: getattr(s, gone), gone: None})

    def each(stack: Stack) -> Stack:
        blocks = [b.model_copy(update={"sublayers": [step(s) for s in b.sublayers]}) for b in stack.blocks]
        return stack.model_copy(update={"blocks": blocks})

    return a.model_copy(update={"stacks": [each(stack) for stack in a.stacks]})


def stream(x: Instance, a: Architecture) -> list[float]:
    """Root mean squares of the stream at the beginning and after each residual step."""
    sizes: list[float] = []

    def see(name: str, value: torch.Tensor) -> None:
        if name == "embedding" or name.endswith(".residual"):
            sizes.append(value.square().mean().sqrt().item())

    model = x.model
    if a is not x.small:
        model = build(a, whole=True, device=x.place.device, dtype=x.place.dtype)
        initialise(model)
    with torch.no_grad():
        model(x.ids(), Pass(see=see), x.ids(SOURCE, seed=2))
    return sizes
