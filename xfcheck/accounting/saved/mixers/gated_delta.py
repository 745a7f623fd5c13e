"""The gated delta rule, in chunks as the reference's torch path, or in fused kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate
from ..norms import WIDE, norm
from ._recurrent import convolution, padded

if TYPE_CHECKING:
    from ....architecture.mixers.gated_delta import GatedDelta
    from ..tape import Tape, Value


def run(tape: Tape, spec: GatedDelta, x: Value, hidden: int) -> Value:
    """The maps, the convolution, decay and rate, the rule, the gated norm of a head.

    Fused (flash-linear-attention): queries, keys and values before and after the convolution, decay and rate, the inverted triangle of a
    chunk, the norms' statistics and inputs.
    """
    values, heads = spec.values, spec.value_heads
    tape.keep(x)
    gate, rates = tape.make(values), tape.make(heads)
    mixed = convolution(tape, tape.make(spec.conv_size), spec.conv_size, spec.kernel, spec.activation)
    rate, step = tape.own(rates), tape.of(tape.make(heads, WIDE))
    tape.keep(step, tape.whole(heads, WIDE), tape.whole(heads, WIDE))
    if tape.tiled:
        roots = tape.make(2 * spec.key_heads + heads, WIDE)
        tape.keep(mixed, gate, rate, step, tape.make(heads * spec.chunk), roots, tape.make(values))
        return tape.linear(tape.make(values), hidden)
    out = _rule(tape, spec, mixed)
    normed = norm(tape, spec.gated_norm, out, heads, size=spec.value_dim)
    tape.keep(activate(tape, spec.activation, gate), normed)
    return tape.linear(tape.make(values), hidden)


def _rule(tape: Tape, spec: GatedDelta, mixed: Value) -> Value:
    """In 32 bits, chunks of l tokens, the last one filled up, a value head at a time; key heads are repeated for them.

    Nothing reads the state before the first chunk nor that after the last.
    """
    rows, chunk, heads, key, value = padded(tape, spec.chunk), spec.chunk, spec.value_heads, spec.key_dim, spec.value_dim
    chunks = rows // chunk // tape.batch
    repeated = spec.key_heads != heads or tape.width != WIDE
    tape.keep(tape.make(2 * heads * key, WIDE) if repeated else mixed, tape.make(2 * heads, WIDE))
    each = {
        "queries, keys, keys under their rate, keys that solve, decayed keys, decayed queries": (4 if chunks == 1 else 6) * key,
        "values, values that solve, what is new of them": 3 * value, "pairs: decay, two products, both under it": 5 * chunk,
        "rate, decays of keys and queries, and where it is read of the state": 3 if chunks == 1 else 4,
    }  # fmt: skip
    tape.keep(tape.whole(rows * heads * sum(each.values()), WIDE))
    tape.keep(tape.whole(tape.batch * heads * ((chunks if chunks > 1 else 0) + (chunks - 1) * key * value), WIDE))
    return tape.make(heads * value)
