"""RWKV's channel mixing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .time_mix import shifted

if TYPE_CHECKING:
    from ....architecture.mixers.rwkv import ChannelMix
    from ..tape import Tape, Value


def run(tape: Tape, spec: ChannelMix, x: Value, hidden: int) -> Value:
    """The token and the one before it, two mixtures, what ReLU leaves of the keys, its square, receptance times value."""
    shifted(tape, x, hidden, 2)
    left = tape.own(tape.linear(tape.make(hidden), spec.intermediate_size))
    tape.keep(left)
    value = tape.linear(tape.make(spec.intermediate_size), hidden)
    receptance = tape.own(tape.linear(tape.make(hidden), hidden))
    return tape.times(receptance, value)
