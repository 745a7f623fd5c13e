"""The tower of MiniCPM-V 4.6 (transformers 5.24, models/minicpmv4_6): SigLIP's layers, and between two of them a merger of windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._read.decoder import layer_norm
from .._read.siglip_tower import siglip_names, siglip_tower
from .._rows.names import Names
from ._layers import alone, linear, normed, rows

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

MERGER = ("query", "key", "value", "output")
NAMES = Names(
    {
        **siglip_names(""),
        "window_norm": "vit_merger.layer_norm1",
        **{f"window_{part}": f"vit_merger.self_attn.{part[0]}_proj" for part in MERGER[:3]},
        "window_output": "vit_merger.self_attn.out_proj",
        "merger_norm": "vit_merger.pre_norm",
        "merger_1": "vit_merger.linear_1",
        "merger_2": "vit_merger.linear_2",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """The merger attends inside windows of patches and maps each window to a vector, by a network four networks wide."""
    made = siglip_tower(c)
    wide, norm = made.hidden_size, layer_norm(c)
    sides = c.list("window_kernel_size") or [2, 2]
    if len(sides) != 2 or not all(isinstance(side, int) and not isinstance(side, bool) and side > 0 for side in sides):
        raise c.refuse("window_kernel_size", "window_kernel_size must be two whole numbers")
    flat, inner = wide * sides[0] * sides[1], c.int("intermediate_size") * sides[0] * sides[1]
    beside = [normed("window_norm", wide, bias=norm.bias), *(linear(f"window_{part}", wide, wide) for part in MERGER)]
    beside += [normed("merger_norm", flat), linear("merger_1", inner, flat), linear("merger_2", wide, inner)]
    return alone(made.model_copy(update={"projections": [*made.projections, *beside]}))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
