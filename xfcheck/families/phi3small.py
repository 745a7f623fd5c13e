"""Phi-3-small (arXiv 2404.14219, section 2): layer norms, a clipped gated GELU, blocks of sparse attention between dense layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._read.blocks import prenorm
from ._read.decoder import QKVO, causal_model, kv_heads, layer_norm, quotient
from ._read.dense import alike
from ._read.frequencies import storing
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("phi3small",)
CONFIRMED = {"phi3small": "microsoft/Phi-3-small-8k-instruct, 7,392,274,432 stored elements, of which 32 x 64 frequencies"}

TABLE = published(
    "phi3small",
    "Phi3SmallConfig",
    "configuration_phi3_small.py of microsoft/Phi-3-small-8k-instruct",
    defaults={
        "vocab_size": 100352,
        "max_position_embeddings": 8192,
        "rope_embedding_base": 10**6,
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "hidden_act": "gegelu",
        "ff_intermediate_size": 14336,
        "layer_norm_epsilon": 1e-5,
        "tie_word_embeddings": True,
        "mup_embedding_multiplier": 10.0,
    },
    aliases={"rope_theta": "rope_embedding_base"},
    models={"Phi3SmallForCausalLM": "causal"},
)

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "attention.qkv": "self_attn.query_key_value",
        "attention.output": "self_attn.dense",
        "attention.frequencies": "self_attn.rotary_emb.inv_freq!",
        "mlp.gate_up": "mlp.up_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """Every layer is counted as dense attention: the blocks that sparse layers leave out are not."""
    c = under(c, TABLE, tie_word_embeddings=True)
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c, "layer_norm_epsilon"), c.int("num_attention_heads")
    width = quotient(c, hidden, heads)
    forward = MLP(
        intermediate_size=c.int("ff_intermediate_size"),
        activation=c.text("hidden_act") or "gegelu",
        gated=True,
        packing="gate_up",
        bias=True,
        output_bias=True,
    )
    position = rotary(c, width)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=kv_heads(c, heads),
            head_dim=width,
            packing="qkv",
            biases=QKVO,
            mask=CAUSAL,
            position=position,
            kept_tokens=kept,
        )
        return prenorm(mixer, forward, norm)

    stack = storing(alike(c, hidden, layer, norm))
    return causal_model(c, stack, multiplier=c.number("mup_embedding_multiplier") or 1.0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Phi-3-small checkpoint."""
    return model(a, NAMES)
