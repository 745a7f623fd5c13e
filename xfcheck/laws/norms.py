"""RMSNorm and LayerNorm as written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.marks import Site
from ..torch_build.norms import NormLayer
from .instance import EXACT, bounded

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
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            layer = NormLayer(Site("text", None, width), "norm", norm.model_copy(update={"size": width}), width)
        finally:
            torch.set_default_dtype(before)
        given = torch.randn(5, width, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 3 + 1
        eps = 1e-6 if norm.eps is None else norm.eps
        if kind == "layer":
            wanted = torch.nn.functional.layer_norm(given, (width,), eps=eps)
        else:
            wanted = given / torch.sqrt((given * given).mean(-1, keepdim=True) + eps)
        with torch.no_grad():
            yield bounded("norms", (layer(given) - wanted).abs().max().item(), EXACT, f"{kind} norm against its formula, eps {eps:g}")


def _norms(x: Instance) -> Iterator[Norm]:
    for stack in x.design.stacks:
        for norm in (
            stack.final_norm,
            *(n for block in stack.blocks for sub in block.sublayers for n in (sub.norm, sub.norm_after, sub.norm_residual)),
        ):
            if norm is not None:
                yield norm
