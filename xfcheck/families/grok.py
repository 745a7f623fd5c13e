"""Grok-1 (xai-org/grok-1): experts in every layer, a norm before and after each step, soft-capped scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ._read.blocks import sandwiched
from ._read.decoder import attention, causal_model, head_dim, rms
from ._read.dense import alike
from ._read.moe import routed
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("grok-1", "grok")
CAP = 30.0

TABLE = published(
    "grok-1",
    "Grok1Config",
    "run.py of xai-org/grok-1, configuration_grok1.py of hpcai-tech/grok-1",
    defaults={
        "vocab_size": 131072, "hidden_size": 6144, "intermediate_size": 32768, "num_hidden_layers": 64, "num_attention_heads": 48,
        "num_key_value_heads": 8, "num_experts": 8, "num_experts_per_tok": 2, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
        "tie_word_embeddings": True, "max_attn_value": CAP, "embedding_multiplier_scale": 78.38367176906169,
        "output_multiplier_scale": 0.5773502691896257, "router_aux_loss_coef": 0.001,
    },
    aliases={"num_local_experts": "num_experts"},
    models={"Grok1ModelForCausalLM": "causal", "Grok1ForCausalLM": "causal"},
)  # fmt: skip

NAMES = LLAMA.but(
    {
        "embedding": "transformer.in_out_embed",
        "layer": "transformer.decoder_layer.{layer}.",
        "final_norm": "transformer.rms_norm",
        "head": "lm_head",
        "attention.norm": "rms_norm",
        "attention.norm_after": "rms_norm_1",
        "attention.query": "multi_head_attention.query",
        "attention.key": "multi_head_attention.key",
        "attention.value": "multi_head_attention.value",
        "attention.output": "multi_head_attention.linear",
        "feed_forward.norm": "rms_norm_2",
        "feed_forward.norm_after": "rms_norm_3",
        "moe.router": "router",
        "moe.expert.gate": "moe.{expert}.linear",
        "moe.expert.up": "moe.{expert}.linear_v",
        "moe.expert.down": "moe.{expert}.linear_1",
    },
    {},
    "transformer.",
)


def architecture(c: Settings) -> Architecture:
    """The published weights are JAX's: names are those of its modules. 314B parameters by the model card."""
    like(c, "read from the published class: the model card's 314B is rounded")
    c = under(c, TABLE)
    hidden, norm = c.int("hidden_size"), rms(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    position = rotary(c, width)
    experts = routed(c, experts="num_experts", width="intermediate_size", router=Router(normalise=False))
    made = alike(
        c,
        hidden,
        lambda kept: sandwiched(
            attention(c, hidden, mask=CAUSAL, position=position, width=width, softcap=c.number("max_attn_value"), kept_tokens=kept),
            experts,
            norm,
        ),
        norm,
    )
    return causal_model(
        c, made, multiplier=c.number("embedding_multiplier_scale") or 1.0, head_multiplier=c.number("output_multiplier_scale") or 1.0
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of Grok-1."""
    return model(a, NAMES)
