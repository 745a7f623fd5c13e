"""Grok-1 and Grok-2 (xai-org): experts in every layer, a norm before and after each step, soft-capped scores; a dense network beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ._read.blocks import sandwiched
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.dense import alike
from ._read.moe import routed
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("grok-1", "grok", "grok-2")
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

SECOND = published(
    "grok-2",
    "Grok1Config",
    "config.json of xai-org/grok-2, whose model type is git, and SGLang's Grok1ForCausalLM",
    defaults={
        "vocab_size": 131072, "hidden_size": 8192, "intermediate_size": 32768, "moe_intermediate_size": 16384, "num_hidden_layers": 64,
        "num_attention_heads": 64, "num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2,
        "max_position_embeddings": 131072, "rms_norm_eps": 1e-5, "tie_word_embeddings": False, "attn_logit_softcapping": CAP,
        "final_logit_softcapping": 50.0, "residual_moe": True, "embedding_multiplier_scale": 1.0, "output_multiplier_scale": 1.0,
        "router_aux_loss_coef": 0.0, "hidden_act": "gelu",
    },
    models={"Grok1ForCausalLM": "causal"},
)  # fmt: skip

SECOND_NAMES = LLAMA.but(
    {
        "attention.norm": "pre_attn_norm",
        "attention.norm_after": "post_attn_norm",
        "feed_forward.norm": "pre_moe_norm",
        "feed_forward.norm_after": "post_moe_norm",
        "moe.router": "block_sparse_moe.gate",
        **{f"moe.expert.{part}": f"block_sparse_moe.experts.{{expert}}.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
    },
    {},
)
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
    named = c.data.get("architectures")
    if c.data.get("model_type") == "grok-2" or (named == ["Grok1ForCausalLM"] and "residual_moe" in c.data):
        return _second(c)
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


def _second(c: Settings) -> Architecture:
    """Grok-2: with `residual_moe` experts of half the width and a dense network read one norm, their sum is added."""
    like(c, "read from SGLang's class: the publisher's 270B parameters are rounded")
    c = under(c, SECOND)
    hidden, norm = c.int("hidden_size"), rms(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    position = rotary(c, width)
    experts = routed(c, experts="num_local_experts", width="moe_intermediate_size", router=Router(normalise=False))
    beside = [gated(c)] if c.flag("residual_moe") else []

    def layer(kept: int | None) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=CAUSAL, position=position, width=width, softcap=c.number("attn_logit_softcapping"), kept_tokens=kept
        )
        first, second = sandwiched(heads, experts, norm)
        return [first, second.model_copy(update={"mixers": [experts, *beside]})]

    made = causal_model(
        c,
        alike(c, hidden, layer, norm),
        softcap=c.number("final_logit_softcapping"),
        multiplier=c.number("embedding_multiplier_scale") or 1.0,
        head_multiplier=c.number("output_multiplier_scale") or 1.0,
    )
    return made.model_copy(update={"naming": "second"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of Grok."""
    return model(a, SECOND_NAMES if a.naming == "second" else NAMES)
