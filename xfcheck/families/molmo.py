"""The language model of Molmo (arXiv 2409.17146): OLMo's block under its own names; gate and up counted together, as in OLMo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKV, causal_model, kv_heads, quotient
from ._read.dense import alike, post_norm
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("molmo",)
NEW_TOKENS = 128
"""Rows of the second table, of tokens that stand for images."""

TABLE = published(
    "molmo",
    "MolmoConfig",
    "config_molmo.py of allenai/Molmo-7B-D-0924",
    defaults={
        "vocab_size": 50304,
        "embedding_size": 50304,
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": None,
        "max_position_embeddings": 2048,
        "layer_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "qkv_bias": False,
        "weight_tying": False,
        "norm_after": False,
        "attention_layer_norm": False,
        "layer_norm_type": "rms",
    },
    models={"MolmoForCausalLM": "causal"},
)
NAMES = Names(
    {
        "embedding": "model.transformer.wte.embedding!",
        "new_embedding": "model.transformer.wte.new_embedding!",
        "layer": "model.transformer.blocks.{layer}.",
        "final_norm": "model.transformer.ln_f",
        "head": "model.transformer.ff_out",
        "attention.norm": "attn_norm",
        "attention.norm_after": "attn_norm",
        "attention.qkv": "att_proj",
        "attention.output": "attn_out",
        "attention.query_norm": "q_norm",
        "attention.key_norm": "k_norm",
        "feed_forward.norm": "ff_norm",
        "feed_forward.norm_after": "ff_norm",
        "mlp.gate_up": "ff_proj",
        "mlp.down": "ff_out",
    }
)


def architecture(c: Settings) -> Architecture:
    """The tower and the connector are not counted."""
    like(c, "the language model alone, read from the published class: the vision tower and its connector are not counted")
    c = under(c, TABLE)
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    width, groups, norm = quotient(c, hidden, heads), kv_heads(c, heads), Norm(eps=c.number("layer_norm_eps"))
    forward = MLP(intermediate_size=c.int("intermediate_size", minimum=2) // 2, gated=True, packing="gate_up")
    normed = c.flag("attention_layer_norm")
    query, key = (Norm(eps=norm.eps, size=count * width) if normed else None for count in (heads, groups))
    position, steps = rotary(c, width), post_norm if c.flag("norm_after") else prenorm

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=groups,
            head_dim=width,
            packing="qkv",
            biases=QKV if c.flag("qkv_bias") else [],
            query_norm=query,
            key_norm=key,
            mask=CAUSAL,
            position=position,
            kept_tokens=kept,
        )
        return steps(mixer, forward, norm)

    rows = c.optional_int("embedding_size", minimum=1) or c.int("vocab_size")
    made = causal_model(c, alike(c, hidden, layer, norm), tied=c.flag("weight_tying"))
    new = Projection(name="new_embedding", shape=[NEW_TOKENS, hidden], multiplies=False, component="token_embedding")
    changes = {
        "embedding": made.embedding and made.embedding.model_copy(update={"rows": rows}),
        "head": made.head.model_copy(update={"rows": rows}),
        "projections": [new],
    }
    return made.model_copy(update=changes)


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model."""
    return model(a, NAMES)
