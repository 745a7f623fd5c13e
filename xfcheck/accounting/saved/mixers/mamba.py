"""Mamba-1, token after token as the reference's torch path, or in the fused kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate
from ..norms import WIDE, norm
from ..tape import Tape, UnknownError, Value
from ._recurrent import convolution

if TYPE_CHECKING:
    from ....architecture.mixers.mamba import Mamba

CHUNK = 2048
"""Tokens after which the fused kernel keeps a state."""


def run(tape: Tape, spec: Mamba, x: Value, hidden: int) -> Value:
    """Both halves of the input map, the convolution, step, B and C, the states, the gate.

    Written out: exp(dt A), dt B and the states, inner x state numbers each a token. Fused (Gu and Dao 2023, arXiv 2312.00752, section
    3.3.2): the two halves, step, B and C, the output, and two 32-bit states every 2048 tokens; the rest is computed again. Raises
    UnknownError.
    """
    if spec.heads is not None:
        raise UnknownError("a Mamba-1 mixer in slices")
    inner, state = spec.inner_size, spec.state_size
    halves = tape.linear(x, 2 * inner)
    if tape.tiled:
        tape.keep(halves, tape.make(spec.rank + 2 * state), tape.make(2 * state), tape.make(inner))
        tape.keep(tape.whole(tape.batch * -(-tape.new // CHUNK) * 2 * inner * state, WIDE))
        return tape.make(hidden)
    mixed = convolution(tape, halves, inner, spec.kernel, spec.activation)
    tape.keep(mixed)
    selected = tape.linear(tape.make(inner), spec.rank + 2 * state)
    if spec.inner_norms is None:
        tape.keep(selected)
        b = c = step = selected
    else:
        step, b, c = (norm(tape, spec.inner_norms, selected, size=size, of=size) for size in (spec.rank, state, state))
    tape.keep(step, b, c)
    step = tape.of(tape.make(inner))
    for _ in range(2):
        tape.keep(tape.whole(inner * state, WIDE))
    tape.keep(step, tape.make(inner * state, WIDE), tape.make(inner * state, WIDE), tape.make(inner * state, WIDE))
    gate = activate(tape, spec.activation, halves, tape.make(inner))
    tape.keep(gate, tape.make(inner))
    return tape.linear(tape.make(inner), hidden)
