"""Attention and recurrences written out: what kernels are held to, in whatever dtype they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .case import BLOCKED

if TYPE_CHECKING:
    from .case import Case
    from .inputs import Inputs, Tokens


def seen(case: Case, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """Whether a query sees a key, both given by index, broadcast. Query i is at position m - n + i: the last query sees the last key."""
    at = query + case.past
    if case.kind == "bidirectional":
        return (key >= 0) | (at < 0)
    if case.kind == "local":
        return (key >= at - (case.window or 0)) & (key <= at + (case.window or 0))
    causal = key <= at
    if case.kind == "sliding":
        return causal & (key > at - (case.window or 0))
    if case.kind in BLOCKED:
        block = case.window or case.key_length
        return causal & (key // block == at // block)
    return causal | (key < (case.prefix or 0)) if case.kind == "prefix" else causal


def hidden(case: Case, rows: torch.Tensor) -> torch.Tensor:
    """`[rows, m]`, true where a query must not look."""
    return ~seen(case, rows[:, None], torch.arange(case.key_length, device=rows.device)[None, :])


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


def recurrence(given: Tokens) -> torch.Tensor:
    """Output token by token, in at least 32 bits: `[B, H, n, V]`; see `Recurrence`."""
    wide = torch.promote_types(given.value.dtype, torch.float32)
    value = given.value.to(wide)
    heads = value.shape[1] // given.query.shape[1]
    query, key = (t.to(wide).repeat_interleave(heads, dim=1) for t in (given.query, given.key))
    state = given.state
    if state is None:
        state = value.new_zeros(*value.shape[:2], key.shape[-1], value.shape[-1])
    out = []
    for t in range(value.shape[2]):
        if given.decay is not None:
            state = state * given.decay[:, :, t, :, None].exp()
        written = value[:, :, t]
        if given.rate is not None:
            told = (key[:, :, t, :, None] * state).sum(-2)
            written = given.rate[:, :, t] * (written - told)
        state = state + key[:, :, t, :, None] * written[:, :, None, :]
        out.append((query[:, :, t, :, None] * state).sum(-2))
    return torch.stack(out, dim=2)
