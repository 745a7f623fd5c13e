"""Griffin's recurrent block, token after token as the reference, or in a fused kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate
from ..norms import WIDE
from ._recurrent import convolution

if TYPE_CHECKING:
    from ....architecture.mixers.rg_lru import RgLru
    from ..tape import Tape, Value


def run(tape: Tape, spec: RgLru, x: Value, hidden: int) -> Value:
    """Both branches, the convolution, both gates, the decay with its square and root, the states.

    Fused: the recurrence keeps its decays and its states alone.
    """
    wide = spec.width
    gate = activate(tape, spec.activation, tape.linear(x, wide))
    outputs = tape.whole(tape.batch * wide * (tape.new + spec.kernel - 1))
    convolution(tape, tape.linear(x, wide), wide, spec.kernel, None)
    tape.keep(tape.make(wide) if tape.tiled else outputs)
    gates = [tape.own(tape.make(wide)) for _ in range(2)]
    tape.keep(*gates, tape.whole(wide))
    logarithm, decay, square, bounded, root, gated, reset = (tape.make(wide) for _ in range(7))
    tape.keep(logarithm, decay, square, bounded, root, gated, reset)
    if not tape.tiled:
        tape.keep(tape.whole(tape.batch * (tape.new - 1) * wide, WIDE))
    out = tape.times(tape.make(wide), gate)
    return tape.linear(out, hidden)
