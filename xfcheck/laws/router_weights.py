"""Weights of the chosen experts are made to sum to one where the design says so.

No token chooses an expert twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.mixers.moe import MoELayer
from ..verification.check import Check
from .instance import bars, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance

TOKENS = 256


def judge(x: Instance) -> Iterator[Check]:
    """Sums over the scale for random tokens, and the load that an untrained router gives."""
    layer = next((m for m in x.model.modules() if isinstance(m, MoELayer)), None) if x.of("moe") else None
    if layer is None:
        return
    router = layer.spec.router
    given = x.normal(torch.Generator().manual_seed(0), TOKENS, layer.wide)
    with torch.no_grad():
        weights, chosen = layer.choice(given)
    if router.normalise or (router.order == "topk_then_score" and router.scoring == "softmax"):
        yield bounded(
            "router_weights",
            (weights.sum(-1) / router.scale - 1).abs().max().item(),
            x.exact,
            "sums of the chosen weights, their scale taken out",
        )
    twice = int((chosen.sort(-1).values.diff(dim=-1) == 0).sum())
    yield Check("law.router_choice", 0, twice, "differs" if twice else "agreed", f"experts chosen twice by one of {TOKENS} tokens")
    spec = layer.spec
    load = torch.bincount(chosen.flatten(), minlength=spec.experts).double()
    most, collapse = (load.max() / load.mean()).item(), spec.experts / spec.experts_per_token
    yield Check(
        "init.router_balance",
        f"below {collapse:.3g}",
        float(f"{most:.3g}"),
        "differs" if most >= collapse > 1 else "agreed",
        f"largest over mean load of an untrained router, {TOKENS} tokens: {bars(load.tolist(), 32)}; at E / k all choose the same experts",
    )
