"""Mamba-2 (Dao and Gu 2024, arXiv 2405.21060)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.mamba2 import Mamba2
from ._read.decoder import causal_model, rms
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mamba2",)

NAMES = Names(
    {
        "embedding": "backbone.embeddings",
        "layer": "backbone.layers.{layer}.",
        "final_norm": "backbone.norm_f",
        "head": "lm_head",
        "mamba2.norm": "norm",
        "mamba2.in": "mixer.in_proj",
        "mamba2.conv": "mixer.conv1d",
        "mamba2.dt_bias": "mixer.dt_bias!",
        "mamba2.decay": "mixer.A_log!",
        "mamba2.skip": "mixer.D!",
        "mamba2.gated_norm": "mixer.norm",
        "mamba2.out": "mixer.out_proj",
    },
    base_prefix="backbone.",
)


def architecture(c: Settings) -> Architecture:
    """Nothing but Mamba-2 layers. Raises Refused XF102 where heads * head_dim is not expand * hidden."""
    hidden, norm = c.int("hidden_size"), rms(c, "layer_norm_epsilon")
    heads, width = c.int("num_heads"), c.int("head_dim")
    if heads * width != int((c.number("expand", noted=True) or 2) * hidden):
        raise c.refuse("num_heads", f"num_heads {heads} x head_dim {width} is not expand x hidden_size {hidden}", code="XF102")
    mixer = Mamba2(
        heads=heads,
        head_dim=width,
        state_size=c.int("state_size"),
        groups=c.int("n_groups"),
        kernel=c.int("conv_kernel"),
        chunk=c.int("chunk_size"),
        conv_bias=c.flag("use_conv_bias", True),
        bias=c.flag("use_bias"),
        gated_norm=norm,
        activation=c.text("hidden_act") or "silu",
    )
    block = Block(name="mamba2", layers=LayerSet.first(depth(c)), sublayers=[Sublayer(name="mamba2", mixers=[mixer], norm=norm)])
    return causal_model(c, Stack(hidden_size=hidden, blocks=[block], final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mamba-2 checkpoint."""
    return model(a, NAMES)
