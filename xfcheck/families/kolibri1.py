"""Kolibri 1: four norms a layer, sliding layers with rotary positions and full ones without, sigmoid routing shifted by a bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ._read.blocks import decoder_stack, sandwiched
from ._read.decoder import attention, causal_model, rms
from ._read.heads import head_width
from ._read.layers import depth, every, listed
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.routers import shifted_sigmoid
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("kolibri1",)

NAMES = LLAMA.but(
    {
        "attention.norm_after": "post_attn_norm",
        "feed_forward.norm_after": "post_ffn_norm",
        "moe.correction": "moe.router.expert_bias!",
    },
    {
        "attention.norm_after": "post_self_attn_layernorm",
        "feed_forward.norm_after": "post_mlp_layernorm",
        "moe.correction": "mlp.gate.e_score_correction_bias!",
    },
)


def architecture(c: Settings) -> Architecture:
    """Every fifth layer is full; experts in every layer, one shared network of its own width."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window = c.optional_int("sliding_window")
    head_norm, position = Norm(eps=norm.eps, size=width), rotary(c, width)
    router = shifted_sigmoid(c).model_copy(update={"normalise": c.flag("norm_topk_prob")})
    experts = routed(
        c, experts="num_experts", width="moe_intermediate_size", router=router, shared=shared_experts(c,
        c.int("shared_expert_intermediate_size", minimum=0)),
        shared_experts=1,
    )  # fmt: skip

    def sublayers(kind: str) -> list[Sublayer]:
        turns = position if window is None or kind == SLIDING else None
        heads = attention(c, hidden, mask=mask_of(c, kind, window), width=width, position=turns, query_norm=head_norm, key_norm=head_norm)
        return sandwiched(heads, experts, norm)

    kinds = listed(c, layers) or every(layers, 5, FULL, SLIDING)
    return causal_model(c, decoder_stack(hidden, {(kind,): held for kind, held in kinds.items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Kolibri checkpoint."""
    return model(a, NAMES)
