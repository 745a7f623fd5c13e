"""Aria's language model (arXiv 2410.05993): experts stored input first, shared ones as one network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, quotient, rms
from ._read.heads import head_width
from ._read.layers import depth
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("aria_text",)

NAMES = LLAMA.but(
    {
        "moe.router": "mlp.router",
        "moe.expert.gate_up": "mlp.experts.fc1",
        "moe.expert.down": "mlp.experts.fc2",
    },
    {"moe.expert.gate_up": "mlp.experts.gate_up_proj!"},
)


def architecture(c: Settings) -> Architecture:
    """The chosen logits are normalised; `mlp_bias` is on the shared network alone.

    The class refuses heads that do not divide, a `head_dim` or not.
    """
    hidden, norm = c.int("hidden_size"), rms(c)
    quotient(c, hidden, c.int("num_attention_heads"))
    width, count = head_width(c, null=True), c.int("moe_num_shared_experts", minimum=0)
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []
    experts = routed(
        c, experts="moe_num_experts", width="intermediate_size", per_token="moe_topk", router=Router(normalise=True,
        order="topk_then_score"),
        shared=shared_experts(c, c.int("intermediate_size") * count, bias=c.flag("mlp_bias")), shared_experts=count, storage="transposed",
    )  # fmt: skip

    def sublayers(kept: int | None) -> list[Sublayer]:
        return prenorm(attention(c, hidden, mask=CAUSAL, width=width, position=position, biases=biases, kept_tokens=kept), experts, norm)

    return causal_model(c, decoder_stack(hidden, {(kept,): held for kept, held in cached(c, depth(c)).items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Aria text checkpoint."""
    return model(a, NAMES)
