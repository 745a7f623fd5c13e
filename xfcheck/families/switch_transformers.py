"""Switch Transformers (Fedus et al. 2021, arXiv 2101.03961): T5 with one expert a token in some layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Balance, MoE, Router
from ._read.layers import every
from ._read.t5_stacks import Style, depths, t5_model
from ._rows.t5_names import T5, t5_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("switch_transformers",)

NAMES = T5.but(
    {
        f"{stream}:{key}": f"{place}.mlp.{name}"
        for stream, place in (("encoder", 1), ("decoder", 2))
        for key, name in (
            ("mlp.up", "wi"),
            ("mlp.down", "wo"),
            ("moe.router", "router.classifier"),
            ("moe.expert.up", "experts.expert_{expert}.wi"),
            ("moe.expert.down", "experts.expert_{expert}.wo"),
        )
    }
)


def architecture(c: Settings) -> Architecture:
    """A relative bias in the first layer of each stack; tied as the file says."""
    return t5_model(c, Style(always_tied=False, feeds=feeds, feed=feed))


def feeds(c: Settings, stream: str, layers: int) -> dict[str, LayerSet]:
    """Layers 1, 1 + step, ... are sparse, all at step 1 and none at step 0 (modeling_switch_transformers.py, 5.24).

    The step is depth / sparse layers; for no sparse layers it is the depth, so that layer 1 is sparse all the same.
    """
    step = c.optional_int(f"{stream}_sparse_step") if f"{stream}_sparse_step" in c.data else None
    if step is None:
        count = c.int(f"num_sparse_{stream}_layers", minimum=0)
        step = depths(c)[stream] // count if count else depths(c)[stream]
    if step <= 0:
        return {"dense": LayerSet.first(layers)}
    return every(layers, step, "sparse", "dense", offset=0 if step == 1 else 1)


def feed(c: Settings, kind: str) -> Mixer:
    """A dense network, or experts of the same width of which each token meets one; those above the capacity are dropped."""
    expert = MLP(intermediate_size=c.int("d_ff"), activation=c.text("dense_act_fn") or "relu", gated=False)
    if kind == "dense":
        return expert
    return MoE(
        experts=c.int("num_experts"),
        experts_per_token=1,
        expert=expert,
        router=Router(bias=c.flag("router_bias")),
        balance=Balance(auxiliary_loss=c.number("router_aux_loss_coef"), z_loss=c.number("router_z_loss_coef")),
        overflow="drop",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Switch checkpoint."""
    return t5_rows(a, NAMES)
