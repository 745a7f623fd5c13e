"""The tower of Granite Docling 2 (transformers 5.24, models/granite_docling): SigLIP, and a connector of a coarse and a fine route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.layers import LayerSet
from .._read.siglip_tower import siglip_names, siglip_tower
from .._rows.names import Names
from ._layers import alone, linear, normed, rows

if TYPE_CHECKING:
    from ...architecture.blocks import Projection
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

TAPPED = (3, 7, 10)
"""Layers with a merger of their own where the file names none (configuration_granite_docling.py of transformers 5.24)."""

MERGER = {"norm": "layer_norm", "1": "linear_1", "2": "linear_2"}
NAMES = Names(
    {
        **siglip_names(""),
        "norm_in": "connector.ln_in",
        "norm_middle": "connector.ln_mid",
        "map_out": "connector.mlp_fc2",
        "norm_out": "connector.ln_out",
        **{f"{route}_map": f"connector.{route}.projection" for route in ("coarse", "fine")},
        **{
            f"{route}_{key}": f"connector.{route}.deepstack_mergers.{{number}}.{name}"
            for route in ("coarse", "fine")
            for key, name in MERGER.items()
        },
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """A route joins squares of `scale_factor` patches a side, the fine one of half as many, and has mergers after some layers."""
    made = siglip_tower(c)
    wide, out, side = made.hidden_size, c.int("out_hidden_size"), c.int("scale_factor")
    tapped = c.list("deepstack_visual_indexes")
    count = len(TAPPED if tapped is None else tapped)
    beside = [normed("norm_in", wide), *route("coarse", wide * side**2, out, count)]
    if c.flag("use_fine_route"):
        beside += route("fine", wide * (side // 2) ** 2, out, count)
    beside += [normed("norm_middle", out), linear("map_out", out, out, bias=False), normed("norm_out", out)]
    return alone(made.model_copy(update={"projections": [*made.projections, *beside]}))


def route(name: str, flat: int, out: int, count: int) -> list[Projection]:
    """A map of joined patches, and a norm and two maps for each layer that is tapped."""
    made = [linear(f"{name}_map", out, flat, bias=False)]
    if count:
        mergers = [normed(f"{name}_norm", flat), linear(f"{name}_1", out, flat), linear(f"{name}_2", out, out)]
        made += [projection.model_copy(update={"numbers": LayerSet.first(count)}) for projection in mergers]
    return made


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
