"""Feed-forward networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate
from ..norms import norm

if TYPE_CHECKING:
    from ....architecture.mixers.mlp import MLP
    from ..tape import Tape, Value


def run(tape: Tape, spec: MLP, x: Value, hidden: int) -> Value:
    """Gated: the activated gate and up multiply each other; plain: the activation alone; what goes into down is kept."""
    inner = spec.intermediate_size
    if not spec.gated:
        made = activate(tape, spec.activation, tape.linear(x, inner))
    else:
        up = tape.linear(x, 2 * inner if spec.packing == "gate_up" else inner)
        gate = up if spec.packing == "gate_up" else tape.make(inner)
        made = activate(tape, spec.activation, gate, tape.make(inner))
        tape.keep(made, up)
        made = tape.make(inner)
    return tape.linear(norm(tape, spec.inner_norm, made), hidden if spec.output_size is None else spec.output_size)
