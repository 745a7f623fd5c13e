"""A state without input decays by exp(dt A) in a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .instance import EXACT, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """exp(dt A) and the integral of exp(tau A) B, in closed form against the matrix exponential of the joined system."""
    if not x.of("mamba", "mamba2"):
        return
    draw = torch.Generator().manual_seed(0)
    a = -1 - torch.rand(6, generator=draw, dtype=torch.float64)
    b, step = torch.randn(6, generator=draw, dtype=torch.float64), 0.3
    joined = torch.zeros(7, 7, dtype=torch.float64)
    joined[:6, :6], joined[:6, 6] = torch.diag(a), b
    whole = torch.linalg.matrix_exp(step * joined)
    decay, given = torch.exp(step * a), (torch.exp(step * a) - 1) / a * b
    gap = max((whole[:6, :6] - torch.diag(decay)).abs().max().item(), (whole[:6, 6] - given).abs().max().item())
    yield bounded("discretisation", gap, EXACT, "exp(dt A) and its integral with B, against the exponential of the joined system")
