"""A mixture of experts: the chosen weights, the rows that pass through experts, the sum."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .mlp import over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.moe import MoE
    from .. import Activation, Where


def activations(spec: MoE, at: Where) -> Iterator[Activation]:
    """Weights [B n, k]; k rows a token through experts (all E where the reference passes a token through all of them).

    Shared experts see every token.
    """
    tokens = at.batch * at.tokens[1]
    yield at.row("router", [*at.flat, ("k", min(spec.experts_per_token, spec.experts + spec.router.zero_experts))])
    if spec.multiplied == "all":
        yield at.row("expert.output", [*at.flat, ("E", spec.experts), ("d", at.hidden)])
    else:
        served = tokens * spec.experts_per_token * spec.experts // (spec.experts + spec.router.zero_experts)
        yield at.row(
            "expert.output",
            [(f"B*{at.tokens[0]}*k", served), ("d", at.hidden if spec.expert.output_size is None else spec.expert.output_size)],
        )
    if spec.shared is not None:
        yield from over(spec.shared, replace(at, name=f"{at.name}.shared"), at.flat, "d_shared")
    yield at.row("output", [*at.stream, ("d", at.hidden if spec.expert.output_size is None else spec.expert.output_size)])
