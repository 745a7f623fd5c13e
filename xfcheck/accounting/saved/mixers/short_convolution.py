"""A gated short convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._recurrent import convolution

if TYPE_CHECKING:
    from ....architecture.mixers.short_convolution import ShortConvolution
    from ..tape import Tape, Value


def run(tape: Tape, spec: ShortConvolution, x: Value, hidden: int) -> Value:
    """b, c and x from one matrix, b x, its convolution, what goes into the output map."""
    parts = tape.linear(x, 3 * spec.channels)
    tape.keep(parts)
    mixed = convolution(tape, tape.make(spec.channels), spec.channels, spec.kernel, None)
    tape.keep(mixed)
    return tape.linear(tape.make(spec.channels), hidden)
