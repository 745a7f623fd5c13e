"""Linear attention in blocks is its recurrence and its quadratic form.

The delta rule and the matrix memory in chunks are their steps (arXiv 2401.04658, 2412.06464, 2510.26692, 2405.04517).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn.functional import logsigmoid

from ..torch_build.mixers import gated_delta, kimi_delta, mlstm
from ..torch_build.mixers.lightning_attention import blocks
from ..torch_build.positions import slopes
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance

STEPS, HEADS, WIDTH = 19, 4, 6


def judge(x: Instance) -> Iterator[Check]:
    """The forms against each other, on random queries, keys and values."""
    draw = torch.Generator().manual_seed(0)
    q, k, v = (x.normal(draw, 1, HEADS, STEPS, WIDTH) for _ in range(3))
    if x.of("lightning_attention"):
        at = x.here(x.span(STEPS))
        decay = torch.exp(-x.here(torch.tensor(slopes(HEADS), dtype=torch.float64))[:, None, None] * (at[:, None] - at)).tril()
        wanted = (q @ k.transpose(-1, -2) * decay) @ v
        gap = max((blocks(q, k, v, None, block=size)[0] - wanted).abs().max().item() for size in (1, 5, STEPS))
        yield bounded("linear_attention", gap, x.exact, "blocks and single steps against the quadratic form under its decay")
    k = k / k.norm(dim=-1, keepdim=True)
    for kind, module, shape in (("gated_delta", gated_delta, (STEPS,)), ("kimi_delta", kimi_delta, (STEPS, WIDTH))):
        if x.of(kind):
            rate, decay = x.uniform(draw, 1, HEADS, STEPS), -x.uniform(draw, 1, HEADS, *shape)
            state, steps = x.here(torch.zeros(1, HEADS, WIDTH, WIDTH)), []
            for t in range(STEPS):
                one = slice(t, t + 1)
                parts = (part[:, :, one] for part in (q, k, v, rate, decay))
                out, state = module.step_of(*parts, state)
                steps.append(out)
            got, last = module.chunked(q, k, v, rate, decay, None, 4)
            gap = max((got - torch.cat(steps, 2)).abs().max().item(), (last - state).abs().max().item())
            yield bounded("delta_rule", gap, x.exact, f"{kind}: chunks of 4 against {STEPS} steps, outputs and state")
    if x.of("mlstm"):
        gates = (x.normal(draw, 1, HEADS, STEPS), logsigmoid(x.normal(draw, 1, HEADS, STEPS)))
        wanted, (state, *_) = mlstm.pieces(q, k, v, gates, None, 1)
        got, (last, _, most) = mlstm.pieces(q, k, v, gates, None, 4)
        scale = torch.exp(most - mlstm.pieces(q, k, v, gates, None, 1)[1][2])[..., None]
        gap = max((got - wanted).abs().max().item(), (last * scale - state).abs().max().item())
        yield bounded("matrix_memory", gap, x.exact, f"chunks of 4 against {STEPS} steps, outputs and memory")
