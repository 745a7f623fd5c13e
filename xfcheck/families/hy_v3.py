"""Hunyuan 3: sigmoid routing shifted by a bias, one dense layer, norms on query and key, a draft layer in the checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.blocks import DENSE, SPARSE, decoder_stack, dense_first, feeds, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.draft import drafted
from ._read.heads import head_width
from ._read.layers import crossed, depth
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.routers import shifted_sigmoid
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hy_v3",)

NAMES = LLAMA.but(
    {
        "moe.router": "mlp.router.gate",
        "moe.correction": "mlp.expert_bias!",
        "moe.shared.gate": "mlp.shared_mlp.gate_proj",
        "moe.shared.up": "mlp.shared_mlp.up_proj",
        "moe.shared.down": "mlp.shared_mlp.down_proj",
        "draft.head_norm": "final_layernorm",
    },
    {
        "moe.router": "mlp.gate",
        "moe.correction": "mlp.e_score_correction_bias!",
        "moe.shared.gate": "mlp.shared_experts.gate_proj",
        "moe.shared.up": "mlp.shared_experts.up_proj",
        "moe.shared.down": "mlp.shared_experts.down_proj",
    },
)


def architecture(c: Settings) -> Architecture:
    """The first layer is dense unless `mlp_layer_types` says otherwise; `mlp_bias` is on dense and shared networks, not on routed ones.

    No shared experts is taken for no width: the class then builds a network of `intermediate_size`.
    """
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    head_norm, bias = Norm(eps=norm.eps, size=width), c.flag("mlp_bias")
    count = c.int("num_shared_experts", minimum=0)
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []

    def sublayers(kept: int | None, feed: str) -> list[Sublayer]:
        heads = attention(
            c,
            hidden,
            mask=CAUSAL,
            width=width,
            position=position,
            biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
            kept_tokens=kept,
        )
        if feed == DENSE:
            return prenorm(heads, gated(c, bias=bias), norm)
        experts = routed(
            c, experts="num_experts", width="moe_intermediate_size", router=shifted_sigmoid(c, scale="router_scaling_factor"),
            shared=shared_experts(c, (c.int("moe_intermediate_size") * count) or c.int("intermediate_size"), bias=bias),
            shared_experts=count,
        )  # fmt: skip
        return prenorm(heads, experts, norm)

    parts = crossed(cached(c, layers), feeds(c, layers, dense_first(1, layers)))
    whole = causal_model(c, decoder_stack(hidden, parts, sublayers, norm))
    return whole.model_copy(update={"draft": drafted(c, sublayers(None, SPARSE), norm, first=layers, head_norm=norm)})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Hunyuan 3 checkpoint."""
    return model(a, NAMES)
