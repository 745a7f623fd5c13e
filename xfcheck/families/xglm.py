"""XGLM (Lin et al. 2021, arXiv 2112.10668): sinusoidal positions that no checkpoint holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.masks import CAUSAL
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.norm import Norm
from ..architecture.positions.tables import Sinusoidal
from ._read.decoder import QKVO, causal_model, quotient
from ._read.dense import alike
from ._read.plain import multi_head, plain, sequential
from ._rows.gpt_names import HEADS
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("xglm",)

NAMES = Names(
    {
        **HEADS,
        "attention.norm": "self_attn_layer_norm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "cross_attention.norm": "encoder_attn_layer_norm",
        "cross_attention.query": "encoder_attn.q_proj",
        "cross_attention.key": "encoder_attn.k_proj",
        "cross_attention.value": "encoder_attn.v_proj",
        "cross_attention.output": "encoder_attn.out_proj",
        "feed_forward.norm": "final_layer_norm",
        "mlp.up": "fc1",
        "mlp.down": "fc2",
        "embedding": "model.embed_tokens",
        "layer": "model.layers.{layer}.",
        "final_norm": "model.layer_norm",
        "head": "lm_head",
    },
    base_prefix="model.",
)


def architecture(c: Settings) -> Architecture:
    """Biases everywhere; `add_cross_attention` adds a memory that no encoder here fills."""
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), Norm(kind="layer", eps=1e-5, bias=True)
    width = quotient(c, hidden, heads)
    forward = plain(c.int("ffn_dim"), c.text("activation_function") or "gelu")

    def layer(kept: int | None) -> list[Sublayer]:
        steps = sequential(multi_head(c, hidden, mask=CAUSAL, biases=QKVO, kept_tokens=kept), forward, norm)
        if c.flag("add_cross_attention"):
            cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, biases=QKVO, memory="absent")
            steps.insert(1, Sublayer(name="cross_attention", mixers=[cross], norm=norm))
        return steps

    position = Sinusoidal(rows=c.int("max_position_embeddings") + 2, offset=2)
    return causal_model(
        c, alike(c, hidden, layer, norm), position=position, multiplier=hidden**0.5 if c.flag("scale_embedding", True) else 1.0
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of an XGLM checkpoint."""
    return model(a, NAMES)
