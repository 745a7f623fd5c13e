"""Linear attention in blocks is its recurrence and its quadratic form.

The delta rule in chunks is its steps (arXiv 2401.04658, 2412.06464).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.mixers.gated_delta import chunked, step_of
from ..torch_build.mixers.lightning_attention import blocks
from ..torch_build.positions import slopes
from .instance import EXACT, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance

STEPS, HEADS, WIDTH = 19, 4, 6


def judge(x: Instance) -> Iterator[Check]:
    """The forms against each other, on random queries, keys and values."""
    draw = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, HEADS, STEPS, WIDTH, generator=draw, dtype=torch.float64) for _ in range(3))
    if x.of("lightning_attention"):
        at = torch.arange(STEPS, dtype=torch.float64)
        decay = torch.exp(-torch.tensor(slopes(HEADS), dtype=torch.float64)[:, None, None] * (at[:, None] - at)).tril()
        wanted = (q @ k.transpose(-1, -2) * decay) @ v
        gap = max((blocks(q, k, v, None, block=size)[0] - wanted).abs().max().item() for size in (1, 5, STEPS))
        yield bounded("linear_attention", gap, EXACT, "blocks and single steps against the quadratic form under its decay")
    if x.of("gated_delta"):
        k = k / k.norm(dim=-1, keepdim=True)
        rate, decay = (
            torch.rand(1, HEADS, STEPS, generator=draw, dtype=torch.float64),
            -torch.rand(1, HEADS, STEPS, generator=draw, dtype=torch.float64),
        )
        state, steps = torch.zeros(1, HEADS, WIDTH, WIDTH, dtype=torch.float64), []
        for t in range(STEPS):
            one = slice(t, t + 1)
            out, state = step_of(q[:, :, one], k[:, :, one], v[:, :, one], rate[:, :, one], decay[:, :, one], state)
            steps.append(out)
        got, last = chunked(q, k, v, rate, decay, None, 4)
        gap = max((got - torch.cat(steps, 2)).abs().max().item(), (last - state).abs().max().item())
        yield bounded("delta_rule", gap, EXACT, f"chunks of 4 against {STEPS} steps, outputs and state")
