"""E * sum f_e p_e is 1 at uniform load, whatever the number of experts, and E where one takes all (Fedus et al. 2021, eq. 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """The loss of uniform assignments and of a collapse, for the design's number of experts."""
    for spec in x.of("moe"):
        count = spec.experts
        even = x.here(torch.full((count,), 1 / count, dtype=torch.float64))
        one = x.here(torch.zeros(count))
        one[0] = 1
        gap = max(abs(loss(even, even) - 1), abs(loss(one, one) - count))
        yield bounded("balance_loss", gap, x.exact, f"distance from 1 at uniform load and from {count} where one expert takes all")
        return


def loss(share: torch.Tensor, probability: torch.Tensor) -> float:
    """E * sum f_e p_e."""
    return float((len(share) * (share * probability).sum()).item())
