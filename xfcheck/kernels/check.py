"""Kernels held to the reference in 64 bits before they are timed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .case import Case
from .inputs import Inputs, Tokens, fresh, require_varied
from .reference import attention, recurrence

if TYPE_CHECKING:
    from collections.abc import Callable

    from .inputs import Given
    from .layers import Problem
    from .recurrence import Recurrence

TOLERANCE = {"float64": 1e-6, "float32": 1e-4, "float16": 4e-3, "bfloat16": 1e-2}
"""Largest error by dtype, for numbers of unit size."""
ROWS = 48
"""Query rows that are compared, spread from the first to the last."""
Picked = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class WrongError(Exception):
    """A kernel gives other numbers than the reference; `error` is the largest absolute difference."""

    def __init__(self, message: str, error: float | None) -> None:
        super().__init__(message)
        self.error = error


def check(case: Problem, direction: str, kernel: Callable[[Any], torch.Tensor], device: torch.device, layout: str = "BHND") -> float:
    """The largest absolute error of a kernel on fresh inputs of the case's own shapes.

    Raises WrongError, DegenerateError, or what the kernel raises.

    The reference is computed for the first sequence: of attention, some query rows of the first and the last key-value head with all their
    queries; of a recurrence, all tokens of the first and the last head. Gradients are those of an output that counts there alone.
    """
    backward = direction == "backward"
    inputs = fresh(case, device, gradients=backward, layout=layout)
    require_varied(inputs)
    heads, kv, rows = _picked(case, device)
    with torch.set_grad_enabled(backward):
        out = kernel(inputs)
    every = case.query_heads if isinstance(case, Case) else case.heads
    shape = (case.batch, every, case.query_length, case.value_dim)
    if out.shape != shape:
        raise WrongError(f"the output has the shape {tuple(out.shape)}", None)
    exact = _exact(case, inputs, heads, kv)
    if not backward:
        return _held(case, [("output", _part(out, heads, rows), _expected(case, exact, rows))])
    for tensor in exact.tensors:
        tensor.requires_grad_()
    expected = _expected(case, exact, rows)
    weights = torch.empty(1, len(heads), len(rows), case.value_dim, device=device, dtype=torch.float64).uniform_(-1, 1).to(out.dtype)
    counted = torch.zeros_like(out)
    counted[:1, heads[:, None], rows] = weights
    got = torch.autograd.grad(out, inputs.tensors, counted)
    want = torch.autograd.grad(expected, exact.tensors, weights.double())
    picks = (heads, kv, kv) if isinstance(case, Case) else (kv, kv, heads)
    picked = [gradient[:1, at] for gradient, at in zip(got, picks, strict=True)]
    first = ("output", _part(out.detach(), heads, rows), expected.detach())
    return _held(case, [first, *zip(("dquery", "dkey", "dvalue"), picked, want, strict=True)])


def _part(out: torch.Tensor, heads: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    return out[:1, heads][:, :, rows]


def _picked(case: Problem, device: torch.device) -> Picked:
    """Heads of the output, heads of the keys, and query rows that are compared."""
    if isinstance(case, Case):
        rows = torch.linspace(0, case.query_length - 1, min(ROWS, case.query_length), device=device).round().long().unique()
        kv = torch.tensor(sorted({0, case.kv_heads - 1}), device=device)
        groups = case.query_heads // case.kv_heads
        return (kv[:, None] * groups + torch.arange(groups, device=device)).flatten(), kv, rows
    heads = torch.tensor(sorted({0, case.heads - 1}), device=device)
    return heads, torch.tensor(sorted({0, case.groups - 1}), device=device), torch.arange(case.query_length, device=device)


def _exact(case: Problem, inputs: Any, heads: torch.Tensor, kv: torch.Tensor) -> Given:
    """The first sequence and the picked heads in 64 bits."""

    def part(tensor: torch.Tensor | None, at: torch.Tensor) -> Any:
        return None if tensor is None else tensor.detach()[:1, at].double()

    if isinstance(case, Case):
        sinks = None if inputs.sinks is None else inputs.sinks[heads].double()
        return Inputs(part(inputs.query, heads), part(inputs.key, kv), part(inputs.value, kv), sinks)
    return Tokens(part(inputs.query, kv), part(inputs.key, kv), *(part(t, heads) for t in inputs[2:]))


def _expected(case: Problem, exact: Any, rows: torch.Tensor) -> torch.Tensor:
    return attention(case, exact, rows) if isinstance(case, Case) else recurrence(exact)


def _held(case: Case | Recurrence, pairs: list[tuple[str, torch.Tensor, torch.Tensor]]) -> float:
    worst = 0.0
    for name, got, want in pairs:
        difference = (got.double() - want).abs()
        error = float(difference.max())
        sized = name == "output" and isinstance(case, Case)
        allowed = TOLERANCE[case.dtype] * max(1.0, 1.0 if sized else float(want.abs().max()))
        if not error <= allowed:
            told = f"{name} differs from the 64-bit reference by {error:.3g}, more than {allowed:.3g}"
            raise WrongError(told, error if error == error else None)  # noqa: PLR0124  NaN alone differs from itself
        worst = max(worst, error)
    return worst
