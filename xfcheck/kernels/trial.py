"""A backend tried on a case: callable, computing by itself, and right."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from .backend import ImpossibleError
from .check import WrongError, check
from .dispatched import ran, require_itself
from .inputs import DegenerateError, fresh

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from .backend import Backend
    from .layers import Problem


class Passed(NamedTuple):
    """A kernel that agrees with the reference to `error`; `operators` that it came down to, empty where that is not looked at."""

    kernel: Callable[[Any], torch.Tensor]
    error: float
    operators: list[str]


def trial(backend: Backend, case: Problem, direction: str, where: torch.device) -> Passed:
    """Try it. Raises WrongError for wrong numbers, DegenerateError for inputs that tell nothing, ImpossibleError for everything else.

    The reason has what torch said of its choice of kernels.
    """
    if backend.prepare is None or backend.why_not is not None:
        raise ImpossibleError(backend.why_not or "cannot be called")
    if direction == "backward" and not backend.backward:
        raise ImpossibleError(f"{backend.name} has no backward pass")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            kernel = backend.prepare(case, where)
            operators: set[str] = set()
            if backend.marks is not None or backend.watched:
                backward = direction == "backward"
                probe = fresh(case, where, gradients=backward, layout=backend.layout)
                operators = ran(lambda: kernel(probe), gradients=backward)
                require_itself(backend, operators)
            return Passed(kernel, check(case, direction, kernel, where, backend.layout), sorted(operators))
        except (WrongError, ImpossibleError, DegenerateError):
            raise
        except Exception as problem:  # kernels of others fail in ways of their own; the reason is reported
            raise ImpossibleError(_reason(problem, [str(warning.message) for warning in said])) from problem


def _reason(problem: Exception, said: list[str]) -> str:
    """The first line of the error, and the warnings that explain it (torch's says only that no kernel is left)."""
    first = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
    whys = [text.partition(" (Triggered")[0].strip() for text in said]
    whys = [text for text in dict.fromkeys(whys) if text and not text.endswith("because:") and "not been runtime disabled" not in text]
    return first[:200] + (f" ({'; '.join(whys)[:300]})" if whys else "")
