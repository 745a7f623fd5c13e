"""What recurrent mixers have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..functions import activate

if TYPE_CHECKING:
    from ..tape import Tape, Value


def convolution(tape: Tape, x: Value, channels: int, kernel: int, activation: str | None = "silu") -> Value:
    """A causal depthwise convolution: its input, and where a function follows its n + K - 1 outputs, which are cut after it.

    Tiled: the input alone, as the fused kernel computes the outputs again (causal-conv1d).
    """
    tape.keep(x)
    if tape.tiled:
        return tape.make(channels)
    made = tape.whole(tape.batch * channels * (tape.new + kernel - 1))
    return made if activation is None else activate(tape, activation, made, tape.make(channels))


def padded(tape: Tape, chunk: int) -> int:
    """Vectors of the batch with every sequence filled up to whole chunks."""
    return tape.batch * -(-tape.new // chunk) * chunk
