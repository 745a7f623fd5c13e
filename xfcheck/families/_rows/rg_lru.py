"""Rows of Griffin's recurrent block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .convolution import depthwise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.rg_lru import RgLru
    from ...ledger import Row
    from .place import Place


def rows(spec: RgLru, at: Place) -> Iterator[Row]:
    """Both branches, the convolution, the unit's gates (a block a head, `[heads, w, w]`) and its decay, the output."""
    block = spec.width // spec.heads
    yield from at.matrix("gate", spec.width, at.hidden, bias=True)
    yield from at.matrix("in", spec.width, at.hidden, bias=True)
    yield from depthwise(at, spec.width, spec.kernel, bias=True)
    yield from at.vector("decay", spec.width, component="ssm")
    for part in ("input_gate", "recurrent_gate"):
        yield at.row(part, (spec.heads, block, block), multiplies=True)
        yield from at.vector(f"{part}_bias", spec.heads, block)
    yield from at.matrix("out", at.hidden, spec.width, bias=True)
