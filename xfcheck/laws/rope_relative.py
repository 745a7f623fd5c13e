"""Rotary positions act on a score through the difference of positions alone (Su et al. 2021, arXiv 2104.09864)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.positions import rotate
from ..verification.check import Check
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance

FAR = 1000


def judge(x: Instance) -> Iterator[Check]:
    """q_p . k_s against q_(p+t) . k_(s+t) for the design's own widths, bases and layouts; a width that is odd has no pairs."""
    worst, kinds = 0.0, 0
    for spec in x.of("attention", "latent_attention"):
        position = spec.position
        if getattr(position, "kind", None) != "rotary":
            continue
        width = spec.rope_dim if spec.kind == "latent_attention" else spec.head_dim
        draw = torch.Generator().manual_seed(0)
        q, k = (x.normal(draw, 1, 1, 1, width) for _ in range(2))
        try:
            near, far = (
                rotate(position, q, x.span(6 + t)[-1:]) @ rotate(position, k, x.span(3 + t)[-1:]).transpose(-1, -2) for t in (0, FAR)
            )
        except ValueError as odd:
            yield Check("law.rope_relative", "an even width", width if position.width is None else position.width, "differs", str(odd))
            return
        worst, kinds = max(worst, (near - far).abs().max().item()), kinds + 1
    if kinds:
        yield bounded("rope_relative", worst, x.exact, f"change of a score when query and key both move by {FAR} positions")
