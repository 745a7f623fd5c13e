"""Granite 4.0 hybrids: Mamba-2 and attention layers, experts beside a shared MLP or the shared MLP alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ._read.decoder import QKVO, attention, causal_model, head_dim, rms
from ._read.hybrid import FULL, LINEAR, two_step
from ._read.layers import depth, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.state_space import expanded, mamba2
from ._rows.model import model
from ._rows.state_space_names import mamba2 as mamba2_names
from .granitemoe import NAMES as GRANITE

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("granitemoehybrid",)

NAMES = GRANITE.but(
    {
        "mamba2.norm": "input_layernorm",
        **mamba2_names("mamba"),
        "mlp.gate_up": "shared_mlp.input_linear",
        "mlp.down": "shared_mlp.output_linear",
    }
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types`, all Mamba-2 without it; no experts where `num_local_experts` is 0.

    Positions are rotary only where `position_embedding_type` says so.
    """
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    scale = c.number("residual_multiplier")
    scale = 1.0 if scale is None else scale

    def mixing(kind: str) -> Sublayer:
        if kind == LINEAR:
            return Sublayer(name="mamba2", mixers=[mamba2(c, expanded(c, "mamba_expand", hidden), norm)], norm=norm, multiplier=scale)
        width = head_dim(c, hidden, c.int("num_attention_heads"))
        position = rotary(c, width) if c.text("position_embedding_type") == "rope" else None
        biases = QKVO if c.flag("attention_bias") else []
        heads = attention(c, hidden, mask=CAUSAL, position=position, biases=biases, scale=c.number("attention_multiplier"))
        return Sublayer(name="attention", mixers=[heads], norm=norm, multiplier=scale)

    feed = Sublayer(name="feed_forward", mixers=[feeding(c)], norm=norm, multiplier=scale)
    kinds = listed(c, layers, known=(LINEAR, FULL)) or {LINEAR: LayerSet.first(layers)}
    blocks = two_step(kinds, mixing, {"experts": LayerSet.first(layers)}, lambda _: feed)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm), multiplier=c.number("embedding_multiplier") or 1.0)


def feeding(c: Settings) -> Mixer:
    """Routed experts of `intermediate_size` and the shared MLP beside them; the latter alone where there are no experts."""
    shared = MLP(intermediate_size=c.int("shared_intermediate_size"), activation=c.text("hidden_act") or "silu", packing="gate_up")
    if not c.int("num_local_experts", minimum=0):
        return shared
    return routed(
        c, experts="num_local_experts", width="intermediate_size", router=Router(order="topk_then_score", normalise=True), shared=shared,
        shared_experts=1, storage="stacked",
    )  # fmt: skip


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Granite hybrid checkpoint: all experts of a layer in one tensor."""
    return model(a, NAMES)
