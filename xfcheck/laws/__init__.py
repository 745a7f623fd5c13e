"""Laws of Transformers, each run on a scaled-down instance of the user's own config in 64-bit floats, on a GPU where there is one.

One module a law with `judge(x)`, which yields one check for each thing that the law says of this design: the quantity (`got`), its bound
(`expected`), the verdict. A law that the design does not touch yields nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..verification.check import Check, unknown
from .device import CPU, Place
from .instance import Instance, prepare

if TYPE_CHECKING:
    from ..model import Model

LAWS = (
    "score_scale",
    "row_sums",
    "masked_rows",
    "masks_merge",
    "causal",
    "padding",
    "grouped_heads",
    "tiled",
    "rope_relative",
    "permutation",
    "position_tables",
    "alibi",
    "relative_bias",
    "norms",
    "gated_budget",
    "tying",
    "router_weights",
    "capacity",
    "balance_loss",
    "discretisation",
    "scan",
    "linear_attention",
    "cross_attention",
    "cached_decode",
    "residual_growth",
)
"""The modules of this package."""


def judge(model: Model, place: Place = CPU) -> list[Check]:
    """All laws, after a row that says where they ran. A law that needs a run of what has no forward here is not verified, by name."""
    x = prepare(model, place)
    out: list[Check] = [place.told()]
    for name in LAWS:
        try:
            out += import_module(f"{__name__}.{name}").judge(x)
        except (NotImplementedError, ValueError, RuntimeError, IndexError, KeyError) as error:
            out.append(unknown(f"law.{name}", f"the design does not run: {' '.join(str(error).split())[:200]}"))
    return out


__all__ = ["CPU", "LAWS", "Instance", "Place", "judge"]
