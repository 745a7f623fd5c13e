"""A kernel with inputs to run on, kept out of the caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .clock import Timed
from .inputs import require_varied, several
from .machine import cache_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from .layers import Problem

COPIES = {"cpu": 64, "cuda": 1024}
"""Most sets of inputs that calls take in turn, so that a call does not find its inputs in the caches."""
COPIES_BACKWARD = 4
"""The same of the backward pass, where each keeps what its forward pass saved."""
COPIES_BYTES = 512 * 1024**2
Drawn = dict[tuple["Problem", str, str], list[Any]]


def loaded(
    case: Problem, direction: str, kernel: Callable[[Any], torch.Tensor], layout: str, where: torch.device, drawn: Drawn | None = None
) -> tuple[Timed, str]:
    """The timed call, and how its inputs are kept out of the last cache: by their size, by their number, or by flushing it (GPUs).

    `drawn` holds the inputs of a group, which kernels of the same case and layout share.
    """
    moved, cache = max(1, case.bytes(direction)), cache_bytes(where)
    most = COPIES_BACKWARD if direction == "backward" else COPIES[where.type]
    count = 1 if moved >= 2 * cache else max(1, min(most, COPIES_BYTES // moved, 1 + 2 * cache // moved))
    drawn = {} if drawn is None else drawn
    sets = drawn.get((case, direction, layout))
    if sets is None:
        sets = drawn[case, direction, layout] = several(case, where, count, gradients=direction == "backward", layout=layout)
        # all of them were drawn at once
        require_varied(sets[0])
    calls = [(_backward if direction == "backward" else _forward)(kernel, inputs) for inputs in sets]
    at = 0

    def call() -> object:
        nonlocal at
        at = (at + 1) % len(calls)
        return calls[at]()

    timed = Timed(call, capturable=direction == "forward")
    if moved >= 2 * cache:
        return timed, "inputs exceed the cache"
    if count * moved >= 2 * cache:
        timed.fewest = count
        return timed, f"{count} sets of inputs in turn"
    if where.type == "cuda":
        timed.flushed = True
        return timed, "cache flushed before each call"
    return timed, f"{count} sets of inputs in turn, within the cache" if count > 1 else "inputs may lie in the cache"


def _forward(kernel: Callable[[Any], torch.Tensor], inputs: Any) -> Callable[[], object]:
    def call() -> object:
        with torch.no_grad():
            return kernel(inputs)

    return call


def _backward(kernel: Callable[[Any], torch.Tensor], inputs: Any) -> Callable[[], object]:
    out = kernel(inputs)
    gradient = torch.empty_like(out).uniform_(-1, 1)
    return lambda: torch.autograd.grad(out, inputs.tensors, gradient, retain_graph=True)
