"""A causal depthwise convolution that keeps its last columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from ..passes import State


def causal(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, state: State, past: int) -> torch.Tensor:
    """`out[t] = sum_j w[j] x[t - K + 1 + j]` for each channel of `[B, C, n]`, weight `[C, 1, K]`; K columns stay in `state["conv"]`.

    It computes as many outputs as the reference does and drops the surplus: max(n, K) + K - 1 in the first pass, n + 1 in a later one.
    """
    kernel, new, channels = weight.shape[-1], x.shape[-1], x.shape[1]
    if past:
        whole = torch.cat([state["conv"], x], dim=-1)
        out = F.conv1d(whole, weight, bias, groups=channels)[..., -new:]
    else:
        whole = F.pad(x, (max(0, kernel - new), 0))
        out = F.conv1d(whole, weight, bias, padding=kernel - 1, groups=channels)[..., : whole.shape[-1]][..., -new:]
    state["conv"] = whole[..., -kernel:]
    return out
