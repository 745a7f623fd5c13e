"""GPT-BigCode (SantaCoder, StarCoder 1): GPT-2 with one key-value head (arXiv 2305.06161, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, causal_model, layer_norm, quotient
from ._read.dense import alike
from ._read.plain import plain, sequential
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gpt_bigcode",)

NAMES = TRANSFORMER.but(
    {
        "positions": "transformer.wpe",
        "attention.qkv": "attn.c_attn",
        "attention.output": "attn.c_proj",
        "cross_attention.norm": "ln_cross_attn",
        "cross_attention.query": "crossattention.q_attn",
        "cross_attention.key_value": "crossattention.c_attn",
        "cross_attention.output": "crossattention.c_proj",
        "mlp.up": "mlp.c_fc",
        "mlp.down": "mlp.c_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """`multi_query` decides between one key-value head and one a query head; matrices are stored [out, in], unlike GPT-2's."""
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), layer_norm(c, "layer_norm_epsilon")
    width, shared = quotient(c, hidden, heads), c.flag("multi_query", True)
    forward = plain(c.optional_int("n_inner", minimum=1) or 4 * hidden, c.text("activation_function") or "gelu_pytorch_tanh")
    crossed = c.flag("add_cross_attention")
    if crossed and shared:
        raise c.refuse("add_cross_attention", "multi_query attention has no cross attention", code="XF118", help="multi_query false")

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=1 if shared else heads, head_dim=width, packing="qkv", biases=QKVO, mask=CAUSAL, kept_tokens=kept
        )
        steps = sequential(mixer, forward, norm)
        if crossed:
            cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, packing="key_value", biases=QKVO, memory="absent")
            steps.insert(1, steps[0].model_copy(update={"name": "cross_attention", "mixers": [cross]}))
        return steps

    return causal_model(c, alike(c, hidden, layer, norm), position=Learned(rows=c.int("max_position_embeddings")))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GPT-BigCode checkpoint."""
    return model(a, NAMES)
