"""Flint: attention sinks on every layer, windows on most, experts from the third layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import MoE, Router
from ..architecture.norm import Norm
from ._read.blocks import DENSE, SPARSE, decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import crossed, depth, grouped, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("flint",)

NAMES = LLAMA.but(
    {
        "attention.sinks": "self_attn.softmax_offset!",
        "moe.shared.gate": "mlp.shared_expert.gate_proj",
        "moe.shared.up": "mlp.shared_expert.up_proj",
        "moe.shared.down": "mlp.shared_expert.down_proj",
    },
    {"attention.sinks": "self_attn.sinks!"},
)


def architecture(c: Settings) -> Architecture:
    """Layers 0, 1, every fourth from 1 and the last see all keys; `mlp_only_layers` and `decoder_sparse_step` place the experts."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKVO if c.flag("attention_bias") else []
    position, head_norm, window = rotary(c, width), Norm(eps=norm.eps, size=width), c.optional_int("sliding_window")
    kinds = listed(c, layers, known=(FULL, SLIDING)) or grouped(
        FULL if i < 2 or i % 4 == 1 or i == layers - 1 else SLIDING for i in range(layers)
    )
    places = _places(c, layers)

    def layer(kind: str, place: str) -> list[Sublayer]:
        mixer = attention(
            c,
            hidden,
            mask=mask_of(c, kind, window),
            position=position,
            biases=biases,
            width=width,
            query_norm=head_norm,
            key_norm=head_norm,
        )
        return prenorm(mixer.model_copy(update={"sinks": True}), gated(c) if place == DENSE else _experts(c), norm)

    return causal_model(c, decoder_stack(hidden, crossed(kinds, places), layer, norm))


def _places(c: Settings, layers: int) -> dict[str, LayerSet]:
    """The dense layers and those with experts."""
    dense, step = c.list("mlp_only_layers"), c.int("decoder_sparse_step")
    named = {0, 1} if dense is None else {i for i in dense if isinstance(i, int)}
    some = c.int("num_experts", minimum=0) > 0
    return grouped(SPARSE if some and i not in named and (i + 1) % step == 0 else DENSE for i in range(layers))


def _experts(c: Settings) -> MoE:
    """Routed experts beside one shared expert, which has no gate."""
    shared = MLP(intermediate_size=c.int("shared_expert_intermediate_size", minimum=0), activation=c.text("hidden_act") or "silu")
    router = Router(normalise=c.flag("norm_topk_prob"))
    return routed(c, experts="num_experts", width="moe_intermediate_size", router=router, shared=shared, shared_experts=1)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Flint checkpoint."""
    return model(a, NAMES)
