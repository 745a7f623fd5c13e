"""Jamba (Lieber et al. 2024, arXiv 2403.19887): Mamba-1 and attention layers, experts in some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.mamba import Mamba
from ..architecture.mixers.moe import Router
from ._read.decoder import attention, causal_model, gated, rms
from ._read.layers import crossed, depth, every, listed
from ._read.moe import routed
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("jamba",)

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "feed_forward.norm": "pre_ff_layernorm",
        "mamba.norm": "input_layernorm",
        "mamba.in": "mamba.in_proj",
        "mamba.conv": "mamba.conv1d",
        "mamba.x": "mamba.x_proj",
        "mamba.dt": "mamba.dt_proj",
        "mamba.decay": "mamba.A_log!",
        "mamba.skip": "mamba.D!",
        "mamba.out": "mamba.out_proj",
        "mamba.dt_norm": "mamba.dt_layernorm",
        "mamba.b_norm": "mamba.b_layernorm",
        "mamba.c_norm": "mamba.c_layernorm",
        "mlp.gate": "feed_forward.gate_proj",
        "mlp.up": "feed_forward.up_proj",
        "mlp.down": "feed_forward.down_proj",
        "moe.router": "feed_forward.router",
        "moe.expert.gate": "feed_forward.experts.{expert}.gate_proj",
        "moe.expert.up": "feed_forward.experts.{expert}.up_proj",
        "moe.expert.down": "feed_forward.experts.{expert}.down_proj",
    },
    {
        "moe.expert.gate": "feed_forward.experts.gate_up_proj!",
        "moe.expert.up": "feed_forward.experts.gate_up_proj!",
        "moe.expert.down": "feed_forward.experts.down_proj!",
    },
)


def architecture(c: Settings) -> Architecture:
    """Attention each `attn_layer_period`-th layer, experts each `expert_layer_period`-th (fewer than two: none); no positions."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    mixing = listed(c, layers) or every(layers, c.int("attn_layer_period"), "full_attention", "linear_attention", offset=offset(c, "attn"))
    feeding = every(layers, c.int("expert_layer_period"), "sparse", "dense", offset=offset(c, "expert"))
    if c.int("num_experts", minimum=0) < 2:
        feeding = {"dense": LayerSet.first(layers)}
    blocks = []
    for (mixer, feed), held in crossed(mixing, feeding).items():
        recurrent = mixer == "linear_attention"
        first = mamba(c, hidden) if recurrent else attention(c, hidden, mask=CAUSAL, position=None)
        forward = gated(c) if feed == "dense" else routed(c, experts="num_experts", width="intermediate_size", router=Router())
        blocks.append(
            Block(
                name=f"{'mamba' if recurrent else 'attention'}_{feed}",
                layers=held,
                sublayers=[
                    Sublayer(name="mamba" if recurrent else "attention", mixers=[first], norm=norm),
                    Sublayer(name="feed_forward", mixers=[forward], norm=norm),
                ],
            )
        )
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def offset(c: Settings, which: str) -> int:
    """The place of the special layer in its period. Raises Refused XF121 where it lies outside."""
    key = f"{which}_layer_offset"
    value = c.int(key, minimum=0)
    period = c.int(f"{which}_layer_period")
    if value >= period:
        raise c.refuse(key, f"{key} {value} is not below {which}_layer_period {period}", code="XF121", help=f"0 to {period - 1}")
    return value


def mamba(c: Settings, hidden: int) -> Mamba:
    """Mamba-1 with norms on dt, B and C."""
    rank = c.raw("mamba_dt_rank")
    return Mamba(
        inner_size=c.int("mamba_expand") * hidden,
        state_size=c.int("mamba_d_state"),
        kernel=c.int("mamba_d_conv"),
        rank=-(-hidden // 16) if rank == "auto" else c.int("mamba_dt_rank"),
        conv_bias=c.flag("mamba_conv_bias", True),
        bias=c.flag("mamba_proj_bias"),
        inner_norms=rms(c),
        activation=c.text("hidden_act") or "silu",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Jamba checkpoint."""
    return model(a, NAMES)
