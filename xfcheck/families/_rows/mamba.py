"""Rows of a Mamba-1 mixer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.mamba import Mamba
    from ...ledger import Row
    from .place import Place


def rows(spec: Mamba, at: Place) -> Iterator[Row]:
    """Projections, depthwise convolution, decay and skip of Mamba-1."""
    inner, state, rank = spec.inner_size, spec.state_size, spec.rank
    yield from at.matrix("in", 2 * inner, at.hidden, bias=spec.bias)
    yield from at.vector("conv", inner, 1, spec.kernel)
    if spec.conv_bias:
        yield at.row("conv", (inner,), ending=".bias", suffix="_bias")
    if spec.heads is None:
        yield from at.matrix("x", rank + 2 * state, inner)
        yield from at.matrix("dt", inner, rank, bias=True)
        yield from at.vector("decay", inner, state)
        yield from at.vector("skip", inner)
    else:
        yield from _sliced(at, spec.heads, inner // spec.heads, state, rank)
    yield from at.matrix("out", at.hidden, inner, bias=spec.bias)
    if spec.inner_norms is not None:
        for part, size in (("dt_norm", rank), ("b_norm", state), ("c_norm", state)):
            yield from at.norm(part, spec.inner_norms, size)


def _sliced(at: Place, heads: int, width: int, state: int, rank: int) -> Iterator[Row]:
    """The same of each slice of the width, all slices in one tensor."""
    yield at.row("x", (heads, rank + 2 * state, width), multiplies=True)
    yield at.row("dt", (heads, width, rank), multiplies=True)
    yield from at.vector("dt_bias", heads, width)
    yield from at.vector("decay", heads, width, state)
    yield from at.vector("skip", heads, width)
