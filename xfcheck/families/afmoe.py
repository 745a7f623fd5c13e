"""AFMoE (Trinity): four norms a layer, gated attention, sliding layers with rotary positions and full ones without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, dense_first, sandwiched
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, every, listed
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

MODEL_TYPES = ("afmoe",)

NAMES = LLAMA.but(
    {
        "attention.gate": "self_attn.gate_proj",
        "attention.norm_after": "post_attention_layernorm",
        "feed_forward.norm": "pre_mlp_layernorm",
        "feed_forward.norm_after": "post_mlp_layernorm",
        "moe.router": "mlp.router.gate",
        "moe.correction": "mlp.expert_bias!",
    }
)


def architecture(c: Settings) -> Architecture:
    """`global_attn_every_n_layers` sets the full layers, `num_dense_layers` the dense ones.

    The balancing bias is a parameter without gradient.
    """
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window, head_norm = c.optional_int("sliding_window"), Norm(eps=norm.eps, size=width)
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []
    count = c.int("num_shared_experts", minimum=0)

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=mask_of(c, kind, window), width=width, position=position if kind == SLIDING else None, biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
        ).model_copy(update={"gate": "elementwise"})  # fmt: skip
        if feed == DENSE:
            return sandwiched(heads, gated(c), norm)
        experts = routed(
            c, experts="num_experts", width="moe_intermediate_size", router=shifted_sigmoid(c, scale="route_scale", correction="parameter"),
            shared=shared_experts(c, c.int("moe_intermediate_size") * count), shared_experts=count,
        )  # fmt: skip
        return sandwiched(heads, experts, norm)

    kinds = listed(c, layers) or every(layers, c.int("global_attn_every_n_layers"), FULL, SLIDING)
    placed = crossed(kinds, dense_first(c.int("num_dense_layers", minimum=0), layers))
    return causal_model(c, decoder_stack(hidden, placed, sublayers, norm), multiplier=hidden**0.5 if c.flag("mup_enabled") else 1.0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an AFMoE checkpoint."""
    return model(a, NAMES)
