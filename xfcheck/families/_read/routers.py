"""Routers that several families share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...architecture.mixers.moe import Router

if TYPE_CHECKING:
    from .settings import Settings


Correction = Literal["none", "buffer", "parameter"]


def grouped_sigmoid(c: Settings, *, scale: str = "routed_scaling_factor") -> Router:
    """Sigmoid scores, a choice limited to the best groups and shifted by a bias that is a buffer.

    Source: DeepSeek-V3, arXiv 2412.19437, section 2.1.2.
    """
    return Router(
        scoring="sigmoid", normalise=c.flag("norm_topk_prob"), scale=c.number(scale) or 1.0, correction="buffer",
        groups=c.optional_int("n_group"), groups_per_token=c.optional_int("topk_group"), group_score_experts=2,
    )  # fmt: skip


def shifted_sigmoid(c: Settings, *, scale: str | None = None, correction: Correction = "buffer", softcap: float | None = None) -> Router:
    """Sigmoid scores, normalised over the chosen experts, the choice shifted by a bias; no groups."""
    factor = (c.number(scale) if scale else None) or 1.0
    return Router(scoring="sigmoid", normalise=True, scale=factor, correction=correction, softcap=softcap)
