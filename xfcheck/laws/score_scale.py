"""1/sqrt(d_h) keeps the variance of the scores: Var(q.k) = d_h for independent unit entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..verification.check import Check, Verdict
from .instance import bars, own_choice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance

PAIRS = 4096
LOW, HIGH = 0.5, 2.0


def judge(x: Instance) -> Iterator[Check]:
    """Variance of the scores of random queries and keys, before and after the design's own scale."""
    for width, scale in sorted({_sizes(spec) for spec in x.of("attention", "cross_attention", "latent_attention")}):
        draw = torch.Generator().manual_seed(0)
        q, k = (x.normal(draw, PAIRS, width) for _ in range(2))
        before = (q * k).sum(-1).var().item()
        after = before * scale * scale
        verdict: Verdict = "agreed" if LOW <= after <= HIGH else "differs"
        why = f"variance {before:.3g} before the scale {scale:.4g}, {after:.3g} after it: {bars([before, after])}; d_h {width}"
        yield own_choice(x, Check("law.score_scale", f"{LOW:g} to {HIGH:g}", float(f"{after:.3g}"), verdict, why))


def _sizes(spec: Any) -> tuple[int, float]:
    width: int = spec.nope_dim + spec.rope_dim if spec.kind == "latent_attention" else spec.head_dim
    return width, width**-0.5 if spec.scale is None else spec.scale
