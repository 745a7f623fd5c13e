"""RMSNorm and LayerNorm as written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.marks import Site
from ..torch_build.norms import NormLayer
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.norm import Norm
    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """The design's norms against torch's own functions, with random scales and shifts."""
    kinds = {n.kind: n for n in _norms(x) if n.kind in ("rms", "layer") and n.heads is None}
    for kind, norm in sorted(kinds.items()):
        width = 16
        with x.factory():
            layer = NormLayer(Site("text", None, width), "norm", norm.model_copy(update={"size": width}), width)
        given = x.normal(torch.Generator().manual_seed(0), 5, width) * 3 + 1
        eps = 1e-6 if norm.eps is None else norm.eps
        centred = given - given.mean(-1, keepdim=True) if kind == "layer" else given
        wanted = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + eps)
        with torch.no_grad():
            yield bounded("norms", (layer(given) - wanted).abs().max().item(), x.exact, f"{kind} norm against its formula, eps {eps:g}")


def _norms(x: Instance) -> Iterator[Norm]:
    for stack in x.design.stacks:
        for norm in (
            stack.final_norm,
            *(n for block in stack.blocks for sub in block.sublayers for n in (sub.norm, sub.norm_after, sub.norm_residual)),
        ):
            if norm is not None:
                yield norm
