"""GPT-2 (Radford et al. 2019)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, causal_model, layer_norm, maximum_positions, quotient
from ._read.layers import depth
from ._read.undeclared import cache_window
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gpt2", "gpt-sw3")

NAMES = Names(
    {
        "embedding": "transformer.wte",
        "positions": "transformer.wpe",
        "layer": "transformer.h.{layer}.",
        "final_norm": "transformer.ln_f",
        "head": "lm_head",
        "classifier": "score",
        "token_classification:classifier": "classifier",
        "question_answering:classifier": "qa_outputs",
        "attention.norm": "ln_1",
        "attention.qkv": "attn.c_attn",
        "attention.output": "attn.c_proj",
        "cross_attention.norm": "ln_cross_attn",
        "cross_attention.query": "crossattention.q_attn",
        "cross_attention.key_value": "crossattention.c_attn",
        "cross_attention.output": "crossattention.c_proj",
        "feed_forward.norm": "ln_2",
        "mlp.up": "mlp.c_fc",
        "mlp.down": "mlp.c_proj",
    },
    base_prefix="transformer.",
)


def architecture(c: Settings) -> Architecture:
    """Learned positions, layer norms before each sublayer, one fused query-key-value map, biases everywhere."""
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), layer_norm(c, "layer_norm_epsilon")
    width = quotient(c, hidden, heads)
    inner = c.optional_int("n_inner", minimum=1) or 4 * hidden
    sublayers = [
        Sublayer(
            name="attention",
            norm=norm,
            mixers=[
                Attention(
                    query_heads=heads, kv_heads=heads, head_dim=width, packing="qkv", biases=QKVO, mask=CAUSAL, kept_tokens=cache_window(c)
                )
            ],
        )
    ]
    if c.flag("add_cross_attention"):
        cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, packing="key_value", biases=QKVO, memory="absent")
        sublayers.append(Sublayer(name="cross_attention", mixers=[cross], norm=norm))
    forward = MLP(intermediate_size=inner, activation=c.text("activation_function") or "gelu_new", gated=False, bias=True, output_bias=True)
    sublayers.append(Sublayer(name="feed_forward", mixers=[forward], norm=norm))
    block = Block(name="decoder", layers=LayerSet.first(depth(c)), sublayers=sublayers)
    stack = Stack(hidden_size=hidden, blocks=[block], final_norm=norm)
    return causal_model(c, stack, position=Learned(rows=c.int("max_position_embeddings"))).model_copy(
        update={"maximum_positions": maximum_positions(c)}
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GPT-2 checkpoint; every matrix of a block is a Conv1D, stored [in, out]."""
    return [
        row._replace(shape=row.shape[::-1], transposed=True) if row.layers is not None and row.role.multiplies else row
        for row in model(a, NAMES)
    ]
