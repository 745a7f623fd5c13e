"""Kimi delta attention, in chunks as the reference's torch path, or in fused kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate
from ..norms import WIDE, norm
from ._recurrent import convolution, padded

if TYPE_CHECKING:
    from ....architecture.mixers.kimi_delta import KimiDelta
    from ..tape import Tape, Value


def run(tape: Tape, spec: KimiDelta, x: Value, hidden: int) -> Value:
    """The maps, the convolution, decay and rate, the rule, the gated norm of a head.

    Fused (flash-linear-attention): queries, keys and values before and after the convolution, decays and rate, the inverted triangle of a
    chunk, the norms' statistics and inputs.
    """
    wide, heads = spec.inner_size, spec.heads
    tape.keep(x)
    mixed = convolution(tape, tape.make(3 * wide), 3 * wide, spec.kernel, spec.activation)
    forget, gate = (tape.make(wide) if spec.gate_rank is None else tape.linear(tape.linear(x, spec.gate_rank), wide) for _ in range(2))
    decay = tape.like(forget, WIDE)
    rate = tape.own(tape.make(heads))
    if tape.tiled:
        tape.keep(mixed, forget, decay, gate, rate, tape.make(heads * spec.chunk), tape.make(3 * heads, WIDE), tape.make(wide))
        return tape.linear(tape.make(wide), hidden)
    tape.keep(decay, tape.like(decay), tape.like(decay), tape.whole(2 * heads, WIDE))  # exp, 1 + exp and its logarithm, and the rates
    normed = norm(tape, spec.gated_norm, _rule(tape, spec), heads, size=spec.head_dim)
    tape.keep(activate(tape, "sigmoid", gate), normed)
    return tape.linear(tape.make(wide), hidden)


def _rule(tape: Tape, spec: KimiDelta) -> Value:
    """In 32 bits, chunks of l tokens, the last one filled up: pairs of tokens under a decay a channel are written out whole.

    The triangle of a chunk is solved row by row. Nothing reads the state before the first chunk nor that after the last.
    """
    rows, chunk, heads, width = padded(tape, spec.chunk), spec.chunk, spec.heads, spec.head_dim
    chunks = rows // chunk // tape.batch
    tape.keep(tape.make(2 * heads * width, WIDE), tape.make(2 * heads, WIDE))  # queries and keys with the roots of their norms
    each = 9 * width + 1 + 3 * chunk * width + 2 * chunk
    solved = sum(i * i + i for i in range(1, chunk))
    tape.keep(tape.whole(heads * (rows * each + rows // chunk * solved), WIDE))
    later = (chunks - 1) * (3 * chunk + 1 + width) + (chunks * chunk if chunks > 1 else 0)
    tape.keep(tape.whole(tape.batch * heads * later * width, WIDE))
    return tape.make(heads * width)
