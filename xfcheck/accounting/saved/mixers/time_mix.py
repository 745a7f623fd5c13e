"""RWKV's time mixing, token after token as the reference's torch path, or in a fused kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..norms import WIDE

if TYPE_CHECKING:
    from ....architecture.mixers.rwkv import TimeMix
    from ..tape import Tape, Value

MIXED = 3
"""Mixtures of a token and the one before it: for keys, values and receptance."""


def run(tape: Tape, spec: TimeMix, x: Value, hidden: int) -> Value:
    """The token and the one before it, their mixtures, keys, values, receptance, the decayed mean and its output map.

    Fused: keys, values and the mean. Written out, eleven vectors a token: its key, the maxima and exponents of the output and of the state,
    numerators and denominators of both; none of the state before the first token nor after the last.
    """
    shifted(tape, x, hidden, MIXED)
    key, value = tape.make(spec.width), tape.make(spec.width)
    for _ in range(MIXED):
        tape.linear(tape.make(hidden), spec.width)
    receptance = tape.own(tape.make(spec.width))
    if tape.tiled:
        tape.keep(key, value)
    else:
        tape.keep(value)
        tape.keep(tape.whole(11 * tape.rows * spec.width - 6 * tape.batch * spec.width + spec.width, WIDE))
    return tape.linear(tape.times(receptance, tape.make(spec.width)), hidden)


def shifted(tape: Tape, x: Value, hidden: int, count: int) -> None:
    """`count` mixtures x m + s (1 - m) of a token x and the one before it s: both, and what is left of each trained m."""
    tape.keep(x, tape.make(hidden), tape.whole(count * hidden))
