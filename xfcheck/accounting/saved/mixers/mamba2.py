"""Mamba-2, in chunks as the reference's torch path, or in the fused kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate
from ..norms import WIDE, norm
from ._recurrent import convolution, padded

if TYPE_CHECKING:
    from ....architecture.mixers.mamba2 import Mamba2
    from ..tape import Tape, Value


def run(tape: Tape, spec: Mamba2, x: Value, hidden: int) -> Value:
    """Gate, x, B, C and steps from one map, the convolution, the products of chunks, the gated norm.

    Fused (Dao and Gu 2024, arXiv 2405.21060; mamba_split_conv1d_scan_combined): the map, the scan's output and the norm's statistics; the
    rest is computed again.
    """
    whole = tape.linear(x, spec.inner_size + spec.conv_size + spec.heads)
    groups = 1 if spec.gated_norm is None or spec.gated_norm.kind == "group" else spec.groups
    if tape.tiled:
        tape.keep(whole, tape.make(spec.inner_size), tape.make(0 if spec.gated_norm is None else spec.groups, WIDE))
        return tape.linear(tape.make(spec.inner_size), hidden)
    mixed = convolution(tape, whole, spec.conv_size, spec.kernel, spec.activation)
    tape.keep(mixed)
    out = _scanned(tape, spec)
    gate = activate(tape, spec.activation, whole, tape.make(spec.inner_size))
    tape.keep(out, gate)
    out = tape.make(spec.inner_size)
    return tape.linear(norm(tape, spec.gated_norm, out, groups), hidden)


def _scanned(tape: Tape, spec: Mamba2) -> Value:
    """The products of chunks of l tokens, the last one filled up, heads apart (B and C repeated for each): all in 32 bits.

    Of one chunk, x is in the order that a product reads, and states are slices of what holds the first one too.
    """
    rows, chunk, heads = padded(tape, spec.chunk), spec.chunk, spec.heads
    chunks = rows // chunk // tape.batch
    step = tape.of(tape.make(heads))
    tape.keep(step, tape.make(heads))  # before and after its bounds
    each = {
        "x under D, and of two products": (2 if chunks == 1 else 3) * spec.head_dim, "B and C of products": 4 * spec.state_size,
        "B under its decay": spec.state_size, "scores, their decay, their product": 3 * chunk, "decays to and from a chunk's end": 2,
        "what comes from the state": spec.head_dim,
    }  # fmt: skip
    tape.keep(tape.whole(rows * heads * sum(each.values()), WIDE))
    state = spec.head_dim * spec.state_size
    states = (4 if chunks == 1 else 2 * chunks + 1) * state
    tape.keep(tape.whole(tape.batch * heads * ((chunks + 1) ** 2 + states), WIDE), tape.whole(2 * heads, WIDE))
    return tape.whole(rows * spec.inner_size, WIDE)
