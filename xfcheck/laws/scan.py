"""The parallel form of a recurrence is the recurrence: affine maps compose associatively."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.mixers.mamba import scan
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance

STEPS = 19


def judge(x: Instance) -> Iterator[Check]:
    """(A3 o A2) o A1 against A3 o (A2 o A1), and doubling against one step after another."""
    if not x.of("mamba", "mamba2", "gated_delta", "lightning_attention"):
        return
    draw = torch.Generator().manual_seed(0)
    first, second, third = ((x.normal(draw, 4, 4), x.normal(draw, 4)) for _ in range(3))
    left, right = after(after(third, second), first), after(third, after(second, first))
    gap = max((left[0] - right[0]).abs().max().item(), (left[1] - right[1]).abs().max().item())
    yield bounded("associative", gap, x.exact, "three affine maps composed in both orders of brackets")
    decay, given = (
        x.uniform(draw, 1, STEPS, 3, 5),
        x.normal(draw, 1, STEPS, 3, 5),
    )
    state, steps = x.here(torch.zeros(1, 3, 5)), []
    for t in range(STEPS):
        state = decay[:, t] * state + given[:, t]
        steps.append(state)
    yield bounded(
        "scan", (scan(decay, given, None) - torch.stack(steps, 1)).abs().max().item(), x.exact, f"a scan by doubling against {STEPS} steps"
    )


def after(second: tuple[torch.Tensor, torch.Tensor], first: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """(A2, b2) o (A1, b1) = (A2 A1, A2 b1 + b2)."""
    return second[0] @ first[0], second[0] @ first[1] + second[1]
