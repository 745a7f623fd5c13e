"""Lightning attention, in blocks as the reference does, or in a fused kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate
from ..norms import norm

if TYPE_CHECKING:
    from ....architecture.mixers.lightning_attention import LightningAttention
    from ..tape import Tape, Value


def run(tape: Tape, spec: LightningAttention, x: Value, hidden: int) -> Value:
    """Queries, keys and values under their activation, the products of blocks, the norm, the gate.

    Fused: queries, keys, values and the output alone.
    """
    wide = spec.inner_size
    first = tape.linear(x, 3 * wide)
    qkv = activate(tape, spec.activation, first)
    if tape.tiled:
        tape.keep(qkv)
    else:
        _blocks(tape, spec)
    out = norm(tape, spec.norm, tape.make(wide), size=wide)
    out = tape.times(out, tape.own(tape.linear(x, wide)))
    return tape.linear(out, hidden)


def _blocks(tape: Tape, spec: LightningAttention) -> None:
    """Of each block queries, keys, values and their decayed products.

    Of each but the first the decayed queries and the state before it, of each but the last the decayed keys and the values again.
    """
    whole, rest = divmod(tape.new, spec.block)
    blocks, last = (whole, spec.block) if not rest else (whole + 1, rest)
    pairs = whole * spec.block**2 + rest**2
    before, after = tape.new - min(spec.block, tape.new), tape.new - last
    elements = spec.inner_size * (3 * tape.new + before + 2 * after) + spec.heads * (pairs + (blocks - 1) * spec.head_dim**2)
    tape.keep(tape.whole(tape.batch * elements))
