"""Lara Mini: gated delta rule, sliding attention with positions and full attention without, experts in every layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import SPARSE
from ._read.decoder import QKVO, attention, causal_model, head_dim, rms
from ._read.gated_delta import gated_delta
from ._read.hybrid import FULL, LINEAR, two_step
from ._read.layers import depth, grouped, listed
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.windows import SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import QWEN_GATED

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("lara_mini",)

PERIOD = (LINEAR, SLIDING, LINEAR, FULL, SLIDING)

NAMES = LLAMA.but(
    {
        **QWEN_GATED,
        "gated_delta.in": "linear_attn.in_proj",
        "gated_delta.gated_norm": "linear_attn.out_norm",
        "moe.expert.gate_up": "mlp.experts.gate_up_proj!",
        "moe.expert.down": "mlp.experts.down_proj!",
    },
    {
        "gated_delta.in": "linear_attn.in_proj_qkv|linear_attn.in_proj_z|linear_attn.in_proj_b|linear_attn.in_proj_a",
        "gated_delta.gated_norm": "linear_attn.norm",
    },
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types`, else the class's period of five; the delta rule's projections are one matrix in the checkpoint."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    window, width = c.optional_int("sliding_window"), head_dim(c, hidden, c.int("num_attention_heads"))
    head_norm = Norm(eps=norm.eps, size=width)

    def mixing(kind: str) -> Sublayer:
        if kind == LINEAR:
            return Sublayer(name="gated_delta", mixers=[gated_delta(c, "all")], norm=norm)
        heads = attention(
            c,
            hidden,
            mask=mask_of(c, kind, window),
            position=rotary(c, width) if kind == SLIDING else None,
            biases=QKVO if c.flag("attention_bias") else [],
            query_norm=head_norm,
            key_norm=head_norm,
            width=width,
        )
        return Sublayer(name="attention", mixers=[heads], norm=norm)

    experts = routed(
        c,
        experts="num_experts",
        width="moe_intermediate_size",
        router=Router(normalise=c.flag("norm_topk_prob")),
        shared_experts=1,
        storage="stacked",
        shared=shared_experts(c, c.int("shared_expert_intermediate_size")),
    )
    feed = Sublayer(name="feed_forward", mixers=[experts], norm=norm)
    kinds = listed(c, layers, known=PERIOD) or grouped(PERIOD[i % len(PERIOD)] for i in range(layers))
    blocks = two_step(kinds, mixing, {SPARSE: LayerSet.first(layers)}, lambda _: feed)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Lara Mini checkpoint."""
    return model(a, NAMES)
