"""Attention written out in 64 bits, and kernels held to it before they are timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .inputs import Inputs, fresh, require_varied

if TYPE_CHECKING:
    from collections.abc import Callable

    from .case import Case

TOLERANCE = {"float64": 1e-6, "float32": 1e-4, "float16": 4e-3, "bfloat16": 1e-2}
"""Largest error by dtype, for numbers of unit size."""
ROWS = 48
"""Query rows that are compared, spread from the first to the last."""
GROUPS = 2
"""Key-value heads that are compared with all of their queries: the first and the last."""


class WrongError(Exception):
    """A kernel gives other numbers than the reference; `error` is the largest absolute difference."""

    def __init__(self, message: str, error: float | None) -> None:
        super().__init__(message)
        self.error = error


def hidden(case: Case, rows: torch.Tensor) -> torch.Tensor:
    """`[rows, m]`, true where a query must not look. Query i is at position m - n + i: the last query sees the last key."""
    at = rows[:, None] + (case.key_length - case.query_length)
    keys = torch.arange(case.key_length, device=rows.device)[None, :]
    if not case.causal:
        return torch.zeros(len(rows), case.key_length, dtype=torch.bool, device=rows.device)
    ahead = keys > at
    return ahead if case.window is None else ahead | (keys <= at - case.window)


def attention(case: Case, inputs: Inputs, rows: torch.Tensor) -> torch.Tensor:
    """Output of the given query rows for grouped heads, the softmax in at least 32 bits: `[B, H_q, rows, d_v]`."""
    groups = inputs.query.shape[1] // inputs.key.shape[1]
    query = inputs.query[:, :, rows].unflatten(1, (-1, groups))
    scores = torch.einsum("bkgnd,bkmd->bkgnm", query, inputs.key) * case.factor
    if case.softcap is not None:
        scores = case.softcap * torch.tanh(scores / case.softcap)
    scores = scores.masked_fill(hidden(case, rows), float("-inf"))
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    if inputs.sinks is not None:
        logits = inputs.sinks.to(scores.dtype).reshape(1, -1, groups, 1, 1).expand(*scores.shape[:-1], 1)
        weights = torch.cat([scores, logits], -1).softmax(-1)[..., :-1]
    else:
        weights = scores.softmax(-1)
    return torch.einsum("bkgnm,bkmd->bkgnd", weights.to(query.dtype), inputs.value).flatten(1, 2)


def check(case: Case, direction: str, kernel: Callable[[Inputs], torch.Tensor], device: torch.device) -> float:
    """The largest absolute error of a kernel on fresh inputs of the case's own shapes.

    Raises WrongError, DegenerateError, or what the kernel raises.

    The reference is computed for some query rows of the first and the last key-value head. Gradients are those of an output that counts
    in these rows alone, so that they are whole.
    """
    backward = direction == "backward"
    inputs = fresh(case, device, gradients=backward)
    require_varied(inputs)
    rows = torch.linspace(0, case.query_length - 1, min(ROWS, case.query_length), device=device).round().long().unique()
    kv = torch.tensor(sorted({0, case.kv_heads - 1})[:GROUPS], device=device)
    groups = case.query_heads // case.kv_heads
    heads = (kv[:, None] * groups + torch.arange(groups, device=device)).flatten()
    with torch.set_grad_enabled(backward):
        out = kernel(inputs)
    if out.shape != (case.batch, case.query_heads, case.query_length, case.value_dim):
        raise WrongError(f"the output has the shape {tuple(out.shape)}", None)
    exact = Inputs(
        inputs.query.detach()[:1, heads].double(), inputs.key.detach()[:1, kv].double(), inputs.value.detach()[:1, kv].double(),
        None if inputs.sinks is None else inputs.sinks[heads].double(),
    )  # fmt: skip
    if not backward:
        return _held(case, [("output", out[:1, heads][:, :, rows], attention(case, exact, rows))])
    for tensor in exact.tensors:
        tensor.requires_grad_()
    expected = attention(case, exact, rows)
    counted = torch.zeros_like(out)
    counted[:, :, rows] = torch.empty_like(counted[:, :, rows]).uniform_(-1, 1)
    got = torch.autograd.grad(out, inputs.tensors, counted)
    want = torch.autograd.grad(expected, exact.tensors, counted[:1, heads][:, :, rows].double())
    picked = [got[0][:1, heads], got[1][:1, kv], got[2][:1, kv]]
    first = ("output", out.detach()[:1, heads][:, :, rows], expected.detach())
    return _held(case, [first, *zip(("dquery", "dkey", "dvalue"), picked, want, strict=True)])


def _held(case: Case, pairs: list[tuple[str, torch.Tensor, torch.Tensor]]) -> float:
    worst = 0.0
    for name, got, want in pairs:
        difference = (got.double() - want).abs()
        error = float(difference.max())
        allowed = TOLERANCE[case.dtype] * max(1.0, float(want.abs().max()) if name != "output" else 1.0)
        if not error <= allowed:
            told = f"{name} differs from the 64-bit reference by {error:.3g}, more than {allowed:.3g}"
            raise WrongError(told, error if error == error else None)  # noqa: PLR0124  NaN alone differs from itself
        worst = max(worst, error)
    return worst
