"""A state without input decays by exp(dt A) in a step (Gu and Dao 2023, arXiv 2312.00752, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.mixers.mamba import decayed
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance

WIDTH, STEP = 6, 0.3


def judge(x: Instance) -> Iterator[Check]:
    """The build's exp(dt A) and the integral of exp(tau A) B, against the exponential of the joined system by its series."""
    if not x.of("mamba", "mamba2"):
        return
    draw = torch.Generator().manual_seed(0)
    a, b = -1 - x.uniform(draw, WIDTH), x.normal(draw, WIDTH)
    joined = x.here(torch.zeros(WIDTH + 1, WIDTH + 1))
    joined[:WIDTH, :WIDTH], joined[:WIDTH, WIDTH] = torch.diag(a), b
    whole = term = x.here(torch.eye(WIDTH + 1))
    for power in range(1, 24):
        term = term @ joined * (STEP / power)
        whole = whole + term
    decay = decayed(x.here(torch.tensor(STEP, dtype=torch.float64)), a)
    given = (decay - 1) / a * b
    gap = max((whole[:WIDTH, :WIDTH] - torch.diag(decay)).abs().max().item(), (whole[:WIDTH, WIDTH] - given).abs().max().item())
    yield bounded("discretisation", gap, x.exact, "exp(dt A) and its integral with B, against the exponential of the joined system")
