"""Experts: how many, who gets which share of the tokens, and what their exchange moves."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from .dtypes import size
from .walk import mixers

if TYPE_CHECKING:
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture


def moe(
    a: Architecture, *, tokens: int, dtype: str, expert_parallel: int = 1, capacity_factor: float | None = None
) -> dict[str, Any] | None:
    """The `moe` object of the budget, null for a dense model. Total, active, load and communication stand apart.

    `load` is that of a uniform router over `tokens` tokens, where an expert's tokens are Binomial(tokens, k/E): `expected_max_over_mean` is
    of the fullest of E independent experts, `expected_drop_fraction` what is above a capacity of ceil(tokens k / E * factor) (Megatron-LM,
    get_capacity; 0 without a factor), `distinct_experts_in_batch` the expected number of experts that at least one token reaches, E (1 - (1
    - k/E)^tokens). `capacity_factor`: that of the training, where the config has none.
    """
    found = [(placed.mixer, placed.count, placed.stack.hidden_size) for placed in mixers(a) if placed.mixer.kind == "moe"]
    if not found:
        return None
    from .load import Load

    spec: MoE = found[0][0]  # type: ignore[assignment]
    hidden = found[0][2]
    count, chosen = spec.experts, spec.experts_per_token
    layers = sum(n for _, n, _ in found)
    ranks = max(1, expert_parallel)
    factor = spec.capacity_factor if spec.capacity_factor is not None else capacity_factor
    known = 0 < chosen <= count and tokens > 0
    load = Load(tokens, chosen, count) if known else None
    moved = tokens // ranks * chosen * (ranks - 1) // ranks * hidden
    return {
        "experts": count,
        "experts_per_token": chosen,
        "shared_experts": spec.shared_experts,
        "layers": layers,
        "capacity_factor": factor,
        "balancing": _balancing(spec),
        "group_limit": None
        if spec.router.groups is None
        else {"groups": spec.router.groups, "groups_per_token": spec.router.groups_per_token},
        "load": {
            "tokens": tokens,
            "mean": tokens * chosen / count if count else None,
            "expected_max_over_mean": None if load is None else load.largest_over_mean(),
            "expected_drop_fraction": 0.0
            if factor is None
            else None
            if load is None
            else load.dropped(ceil(tokens * chosen * factor / count)),
            "distinct_experts_in_batch": count * (1 - (1 - chosen / count) ** tokens) if 0 < chosen <= count else None,
        },
        "communication": {
            "expert_parallel": ranks,
            "dispatch_bytes_per_rank": size(moved, dtype),
            "combine_bytes_per_rank": size(moved, dtype),
            "deduplicated_dispatch_bytes_per_rank": size(_deduplicated(tokens, chosen, count, ranks) * hidden, dtype),
        },
    }


def _balancing(spec: MoE) -> str | None:
    """What keeps the load even, by name."""
    if spec.router.correction != "none":
        return "bias"
    return "auxiliary_loss" if spec.balance.auxiliary_loss else None


def _deduplicated(tokens: int, chosen: int, experts: int, ranks: int) -> int:
    """Rows a rank sends where a token goes to each rank once: R (1 - C(E - E/R, k) / C(E, k)) ranks a token, the own one left out."""
    if ranks == 1 or experts % ranks:
        return 0
    from math import comb

    missed = comb(experts - experts // ranks, chosen) / comb(experts, chosen)
    return ceil(tokens / ranks * (1 - missed) * (ranks - 1))
