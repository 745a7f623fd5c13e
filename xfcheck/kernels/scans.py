"""Recurrences in torch: token by token, in blocks of products, and by doubling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from ..torch_build.mixers import gated_delta, mamba
from .backend import Backend, ImpossibleError
from .reference import recurrence

if TYPE_CHECKING:
    from .backend import Kernel
    from .inputs import Tokens
    from .recurrence import Recurrence

MOST_STATE = 256
"""Elements of a head's state up to which a scan that writes them all is tried: Mamba-1 has 16."""


def backends() -> list[Backend]:
    """Three forms of the same recurrence, in torch's own operators, on any device."""
    return [
        Backend("torch-recurrent", None, _recurrent, family="recurrence", scratch=_states_kept),
        Backend("torch-chunked", None, _chunked, family="recurrence", scratch=_block_scores),
        Backend("torch-doubling", None, _doubling, family="recurrence", scratch=_all_states),
    ]


def _recurrent(case: Recurrence, device: torch.device) -> Kernel:
    return lambda given: recurrence(given).to(given.value.dtype)


def _chunked(case: Recurrence, device: torch.device) -> Kernel:
    if case.decay == "channel":
        raise ImpossibleError("a form in blocks of products needs one decay a head")
    if case.query_length == 1:
        raise ImpossibleError("one token is no block")

    def call(given: Tokens) -> torch.Tensor:
        query, key, value = _wide(case, given)
        decay = value.new_zeros(value.shape[:3]) if given.decay is None else given.decay[..., 0]
        if given.rate is None:
            out = blocks(query, key, value, decay, given.state, case.chunk)
        else:
            out, _ = gated_delta.chunked(query, key, value, given.rate[..., 0], decay, given.state, case.chunk)
        return out.to(given.value.dtype)

    return call


def blocks(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, decay: torch.Tensor, state: torch.Tensor | None, size: int) -> torch.Tensor:
    """Linear attention under one decay a head and token, in blocks of `size` tokens (arXiv 2405.21060, section 6): `[B, H, n, .]`."""
    new = q.shape[2]
    fill = -new % size
    q, k, v = (F.pad(t, (0, 0, 0, fill)).unflatten(2, (-1, size)) for t in (q, k, v))
    upto = F.pad(decay, (0, fill)).unflatten(2, (-1, size)).cumsum(-1)
    between = (upto[..., :, None] - upto[..., None, :]).tril().exp().tril()
    inside = torch.matmul(torch.matmul(q, k.transpose(-1, -2)) * between, v)
    last = upto[..., -1]
    given = torch.matmul((k * (last[..., None] - upto).exp()[..., None]).transpose(-1, -2), v)
    state = q.new_zeros(*q.shape[:2], k.shape[-1], v.shape[-1]) if state is None else state
    before = []
    for i in range(q.shape[2]):
        before.append(state)
        state = state * last[:, :, i, None, None].exp() + given[:, :, i]
    out = inside + torch.matmul(q * upto.exp()[..., None], torch.stack(before, dim=2))
    return out.flatten(2, 3)[:, :, :new]


def _doubling(case: Recurrence, device: torch.device) -> Kernel:
    if case.delta:
        raise ImpossibleError("the delta rule is no elementwise map of its state, so it cannot be composed element by element")
    if case.query_length == 1:
        raise ImpossibleError("one token needs no scan")
    if case.key_dim * case.value_dim > MOST_STATE:
        raise ImpossibleError(
            f"would write a state of {case.key_dim} x {case.value_dim} for each token and head; products of blocks do less"
        )

    def call(given: Tokens) -> torch.Tensor:
        query, key, value = (t.transpose(1, 2) for t in _wide(case, given))
        put = key[..., :, None] * value[..., None, :]
        decay = put.new_zeros(1) if given.decay is None else given.decay.transpose(1, 2)[..., None]
        states = mamba.scan(decay.exp().expand_as(put), put, given.state)
        return torch.einsum("bnhk,bnhkv->bhnv", query, states).to(given.value.dtype)

    return call


def _wide(case: Recurrence, given: Tokens) -> tuple[torch.Tensor, ...]:
    """Query, key and value of every head in at least 32 bits."""
    wide = torch.promote_types(given.value.dtype, torch.float32)
    shared = case.heads // case.groups
    return (*(t.to(wide).repeat_interleave(shared, dim=1) for t in (given.query, given.key)), given.value.to(wide))


def _states_kept(case: Any, direction: str) -> int:
    """The state; in the backward pass, a few of every token."""
    return int(case.batch * case.state * 8 * (3 if direction == "forward" else 4 * case.query_length))


def _block_scores(case: Any, direction: str) -> int:
    """Scores of blocks, and one state a block."""
    chunks = -(-case.query_length // case.chunk)
    return int(
        case.batch
        * case.heads
        * chunks
        * (4 * case.chunk**2 + 2 * case.key_dim * case.value_dim)
        * 8
        * (1 if direction == "forward" else 3)
    )


def _all_states(case: Any, direction: str) -> int:
    """Decays and states of every token; in the backward pass, those of every step of the doubling."""
    steps = case.query_length.bit_length()
    return int(case.batch * case.query_length * case.state * 8 * (4 if direction == "forward" else 4 * steps))
