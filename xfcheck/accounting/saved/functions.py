"""Activations of feed-forward networks: what each keeps, as torch's functions and the composed ones of transformers do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .tape import UnknownError

if TYPE_CHECKING:
    from .tape import Tape, Value


class Kept(NamedTuple):
    """Whether the input is kept, whether the result is, how many tensors between them, and how many single numbers made of trained ones."""

    input: bool
    result: bool
    between: int = 0
    numbers: int = 0


KEPT = {
    "silu": Kept(True, False), "swish": Kept(True, False), "gelu": Kept(True, False), "gelu_pytorch_tanh": Kept(True, False),
    "mish": Kept(True, False), "hardswish": Kept(True, False), "relu6": Kept(True, False),
    "relu": Kept(False, True), "tanh": Kept(False, True), "sigmoid": Kept(False, True), "linear": Kept(False, False),
    "relu2": Kept(False, False, 1),  # what ReLU leaves, which the square reads
    "quick_gelu": Kept(True, False, 1),  # the sigmoid
    "gelu_python": Kept(False, False, 3),  # x / sqrt 2, x / 2, 1 + erf
    "gelu_new": Kept(True, False, 3), "gelu_accurate": Kept(True, False, 3),  # tanh, x / 2, 1 + tanh
    "gelu_fast": Kept(True, False, 6),  # tanh and both its factors, a factor of those, x / 2, 1 + tanh
    "xielu": Kept(True, False, 3, 2),  # alpha x, exp(min(x, eps)) - 1, the same less x; both slopes
}  # fmt: skip


def activate(tape: Tape, name: str, x: Value, out: Value | None = None) -> Value:
    """The result; `out` where it has another size than `x`, of which only a slice is read. Raises UnknownError."""
    if name not in KEPT:
        raise UnknownError(f"the activation {name}")
    has, made = KEPT[name], tape.like(x) if out is None else out
    if name == "linear":
        return x if out is None else out
    if has.input:
        tape.keep(x)
    if has.result:
        tape.keep(made)
    for _ in range(has.between):
        tape.keep(tape.like(made))
    tape.keep(tape.whole(has.numbers))
    return made
