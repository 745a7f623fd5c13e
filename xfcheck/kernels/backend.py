"""What a kernel is to a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    Kernel = Callable[[Any], torch.Tensor]
    Prepare = Callable[[Any, torch.device], Kernel]


class ImpossibleError(Exception):
    """A backend cannot compute a case; the text says why."""


class Backend(NamedTuple):
    """`name` as reports have it; `why_not` null where it can be called; `prepare` makes a callable for a case, or raises ImpossibleError.

    `family`: what it computes, `attention` or `recurrence`. `costly` backends (compiled ones) run where they are asked for by name.
    `marks`: a piece of the operators' names where this kernel, and not another in its place, computed; `watched`: the operators are
    recorded, whichever they are. `layout`: how its inputs lie in memory (`inputs.fresh`). `backward`: whether it has gradients. `scratch`:
    bytes that it writes beside its output, of a case and direction. `generation`: the compute capability that it needs.
    """

    name: str
    why_not: str | None
    prepare: Prepare | None = None
    family: str = "attention"
    costly: bool = False
    marks: str | None = None
    watched: bool = False
    layout: str = "BHND"
    backward: bool = True
    scratch: Callable[[Any, str], int] | None = None
    generation: tuple[int, int] | None = None


def score_bytes(case: Any, direction: str) -> int:
    """What a kernel needs that writes all scores: twice in 32 bits and once in the dtype, as much again for gradients."""
    scores = case.batch * case.query_heads * case.query_length * case.key_length * 4
    return int(scores * (3 if direction == "forward" else 6))
