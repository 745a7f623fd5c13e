"""Every query must see a key: a row that sees none has no softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.masks import visible
from ..torch_build.runnable import MASKS
from ..verification.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance

LENGTH = 64


def judge(x: Instance) -> Iterator[Check]:
    """Queries of the design's masks that see no key, over a short sequence; what backends make of such a row."""
    masks = [spec.mask for spec in x.of("attention", "cross_attention", "latent_attention") if spec.mask.kind in MASKS]
    if not masks:
        return
    at = x.span(LENGTH)
    blind = max(int((~visible(mask, at, at).any(-1)).sum()) for mask in masks)
    yield Check(
        "law.masked_rows", 0, blind, "differs" if blind else "agreed", f"queries of {LENGTH} that see no key; such a row is {backends(x)}"
    )


def backends(x: Instance) -> str:
    """What a row without keys becomes on this device: computed, not remembered."""
    q, scores = x.here(torch.ones(1, 1, 1, 4)), x.here(torch.zeros(1, 1, 1, 2))
    v = x.here(torch.tensor([[[[1.0, 2, 3, 4], [3, 4, 5, 6]]]]))
    none = torch.zeros(1, 1, 1, 2, dtype=torch.bool, device=q.device)
    naive = torch.softmax(scores.masked_fill(~none, float("-inf")), -1) @ v
    finite = torch.softmax(scores + torch.finfo(scores.dtype).min, -1) @ v
    fused = torch.nn.functional.scaled_dot_product_attention(q, v, v, attn_mask=none)
    said = {"minus infinity": naive, "the least finite number": finite, "torch's fused attention": fused}
    return ", ".join(f"{_word(out, v)} with {name}" for name, out in said.items())


def _word(out: torch.Tensor, v: torch.Tensor) -> str:
    if out.isnan().any():
        return "NaN"
    return "zeros" if not out.any() else "the mean of all values" if torch.allclose(out, v.mean(2, keepdim=True)) else "something else"
