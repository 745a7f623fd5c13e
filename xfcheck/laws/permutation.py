"""Without positions, attention that sees all tokens commutes with permuting them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..architecture.masks import BIDIRECTIONAL
from ..torch_build.initial import initialise
from ..torch_build.marks import Site
from ..torch_build.mixers.attention import AttentionLayer
from ..torch_build.passes import Pass
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """The design's attention with its positions and its mask taken away: permuted input against permuted output."""
    found = [p for p in (placed for _, placed in x.heads()) if p.mixer.kind == "attention" and not p.mixer.shares_cache]  # type: ignore[attr-defined]
    if not found:
        return
    spec = found[0].mixer.model_copy(update={"position": None, "mask": BIDIRECTIONAL})
    with x.factory():
        layer = AttentionLayer(spec, Site("text", None, found[0].stack.hidden_size))  # type: ignore[arg-type]
    initialise(layer)
    draw = torch.Generator().manual_seed(0)
    given = x.normal(draw, 1, 9, found[0].stack.hidden_size)
    order = torch.randperm(9, generator=draw)
    with torch.no_grad():
        gap = (layer(given[:, order], Pass()) - layer(given, Pass())[:, order]).abs().max().item()
    yield bounded("permutation", gap, x.exact, "attention of permuted tokens against the permuted output, without positions and mask")
