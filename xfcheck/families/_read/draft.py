"""Draft layers (multi-token prediction) that a file says its checkpoint holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...architecture.blocks import Block
from ...architecture.draft import Draft
from ...architecture.layers import LayerSet

if TYPE_CHECKING:
    from ...architecture.blocks import Sublayer
    from ...architecture.norm import Norm
    from .settings import Settings

KEYS = ("num_nextn_predict_layers", "num_mtp_layers")
"""Keys under which files give the number of draft layers, in any spelling of the class."""

COPIES: list[Literal["embedding", "head"]] = ["embedding", "head"]


def predicted(c: Settings) -> int:
    """How many draft layers the file writes down, 0 where it says nothing: a class default is no statement about a checkpoint."""
    for key in KEYS:
        name = c.found(key)
        value = None if name is None else c.raw(key, noted=False)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return min(value, 1000)
    return 0


def drafted(
    c: Settings,
    sublayers: list[Sublayer],
    norm: Norm,
    *,
    first: int = 0,
    head_norm: Norm | None = None,
    per_layer: bool = True,
    bias: bool = False,
    copies: list[Literal["embedding", "head"]] | None = None,
) -> Draft | None:
    """Draft layers that look like `sublayers`, numbered from `first` (the model's depth where they follow its layers).

    Null where the file has none.
    """
    count = predicted(c)
    if not count:
        return None
    block = Block(name="draft", layers=LayerSet((range(first, first + count),)), sublayers=sublayers)
    return Draft(block=block, norm=norm, head_norm=head_norm, per_layer=per_layer, bias=bias, copies=copies or [])
