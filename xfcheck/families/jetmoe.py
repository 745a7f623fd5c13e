"""JetMoE (arXiv 2404.07413): experts in the feed-forward networks and among the attention heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.masks import CAUSAL
from ..architecture.mixers.expert_attention import ExpertAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Balance, MoE, Router
from ._read.blocks import decoder_stack
from ._read.decoder import causal_model, rms
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("jetmoe",)

NAMES = LLAMA.but(
    {
        "expert_attention.router": "self_attention.experts.router.layer",
        "expert_attention.query": "self_attention.experts.input_linear",
        "expert_attention.output": "self_attention.experts.output_linear",
        "expert_attention.shared_bias": "self_attention.experts.bias!",
        "expert_attention.key_value": "self_attention.kv_proj",
        "moe.router": "mlp.router.layer",
        "moe.expert.gate_up": "mlp.input_linear",
        "moe.expert.down": "mlp.output_linear",
        "feed_forward.bias": "mlp.bias!",
    },
    {"moe.expert.down": "mlp.output_linear"},
)


def architecture(c: Settings) -> Architecture:
    """Query heads are key-value heads times experts a token, whatever the file says; the head dimension is `kv_channels`."""
    hidden, norm, width, keys = c.int("hidden_size"), rms(c), c.int("kv_channels"), c.int("num_key_value_heads")
    count, chosen = c.int("num_local_experts"), c.int("num_experts_per_tok", minimum=0)
    position, router = rotary(c, width), Router(normalise=True, order="topk_then_score")
    experts = MoE(
        experts=count, experts_per_token=chosen, router=router, storage="stacked",
        balance=Balance(auxiliary_loss=c.number("aux_loss_coef")),
        expert=MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("activation_function") or "silu"),
    )  # fmt: skip
    bias = Projection(name="bias", shape=[hidden], multiplies=False, component="experts")

    def sublayers(kept: int | None) -> list[Sublayer]:
        heads = ExpertAttention(
            query_heads=keys * chosen, kv_heads=keys, head_dim=width, experts=count, experts_per_token=chosen, router=router, mask=CAUSAL,
            position=position,
            kept_tokens=kept, dropout=c.number("attention_dropout") or 0.0,
        )  # fmt: skip
        return [
            Sublayer(name="attention", mixers=[heads], norm=norm),
            Sublayer(name="feed_forward", mixers=[experts], norm=norm, projections=[bias]),
        ]

    return causal_model(c, decoder_stack(hidden, {(kept,): held for kept, held in cached(c, depth(c)).items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a JetMoE checkpoint."""
    return model(a, NAMES)
