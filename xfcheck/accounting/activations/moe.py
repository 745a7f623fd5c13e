"""Experts: k rows a token through networks of their own, and the shared ones beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import mlp

if TYPE_CHECKING:
    from ...architecture.mixers.moe import MoE


def alive(spec: MoE, hidden: int) -> int:
    """All k rows of a token at once, as a grouped product runs them, with the input and the router's scores."""
    chosen = spec.experts if spec.multiplied == "all" else spec.experts_per_token
    routed = hidden + spec.experts + chosen * mlp.alive(spec.expert, hidden)
    return max(routed, 2 * hidden + mlp.alive(spec.shared, hidden)) if spec.shared is not None else routed
