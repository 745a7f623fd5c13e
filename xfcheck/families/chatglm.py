"""ChatGLM2, ChatGLM3, GLM-4-9B in their first form (`chatglm`, arXiv 2406.12793), and ChatGLM-6B (2210.02414)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKV, QKVO, causal_model
from ._read.dense import alike
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.decoder import Biased
    from ._read.settings import Settings

MODEL_TYPES = ("chatglm",)
CONFIRMED = {"chatglm": "THUDM/chatglm3-6b, 6,243,584,000 parameters"}

MODELS = {
    "ChatGLMModel": "causal",
    "ChatGLMForConditionalGeneration": "causal",
    "ChatGLMForSequenceClassification": "sequence_classification",
}
TABLE = published(
    "chatglm",
    "ChatGLMConfig",
    "configuration_chatglm.py of THUDM/chatglm3-6b",
    defaults={
        "num_hidden_layers": 28, "padded_vocab_size": 65024, "hidden_size": 4096, "ffn_hidden_size": 13696, "kv_channels": 128,
        "num_attention_heads": 32, "seq_length": 2048, "layernorm_epsilon": 1e-5, "rmsnorm": True, "post_layer_norm": True,
        "add_bias_linear": False, "add_qkv_bias": False, "multi_query_attention": False, "multi_query_group_num": 1,
        "tie_word_embeddings": False,
    },
    aliases={"num_layers": "num_hidden_layers", "vocab_size": "padded_vocab_size", "max_position_embeddings": "seq_length"},
    models=MODELS,
)  # fmt: skip
FIRST = published(
    "chatglm",
    "ChatGLMConfig",
    "configuration_chatglm.py of THUDM/chatglm-6b",
    defaults={
        "vocab_size": 150528, "hidden_size": 4096, "num_hidden_layers": 28, "num_attention_heads": 32, "layernorm_epsilon": 1e-5,
        "max_sequence_length": 2048, "inner_hidden_size": 16384, "tie_word_embeddings": True,
    },
    aliases={"num_layers": "num_hidden_layers", "max_position_embeddings": "max_sequence_length"},
    models=MODELS,
)  # fmt: skip

NAMES = Names(
    {
        "embedding": "transformer.embedding.word_embeddings",
        "frequencies": "transformer.rotary_pos_emb.inv_freq!",
        "layer": "transformer.encoder.layers.{layer}.",
        "final_norm": "transformer.encoder.final_layernorm",
        "head": "transformer.output_layer",
        "classifier": "classifier_head",
        "attention.norm": "input_layernorm",
        "attention.qkv": "self_attention.query_key_value",
        "attention.output": "self_attention.dense",
        "feed_forward.norm": "post_attention_layernorm",
        "mlp.gate_up": "mlp.dense_h_to_4h",
        "mlp.down": "mlp.dense_4h_to_h",
    },
    base_prefix="transformer.",
)
FIRST_NAMES = NAMES.but(
    {
        "embedding": "transformer.word_embeddings",
        "layer": "transformer.layers.{layer}.",
        "final_norm": "transformer.final_layernorm",
        "head": "lm_head",
        "attention.qkv": "attention.query_key_value",
        "attention.output": "attention.dense",
        "mlp.up": "mlp.dense_h_to_4h",
    }
)


def architecture(c: Settings) -> Architecture:
    """Gate and up as one matrix; half of each head turned; `multi_query_group_num` key-value heads. ChatGLM-6B is another structure."""
    if "inner_hidden_size" in c.data or "position_encoding_2d" in c.data:
        return _first(c)
    c = under(c, TABLE, add_bias_linear=False, add_qkv_bias=True, rmsnorm=True, post_layer_norm=True, multi_query_attention=True)
    hidden, heads, width = c.int("hidden_size"), c.int("num_attention_heads"), c.int("kv_channels")
    norm = Norm(kind="rms" if c.flag("rmsnorm") else "layer", eps=c.number("layernorm_epsilon"), bias=not c.flag("rmsnorm"))
    bias = c.flag("add_bias_linear")
    biases: list[Biased] = QKVO if bias else QKV if c.flag("add_qkv_bias") else []
    forward = MLP(intermediate_size=c.int("ffn_hidden_size"), gated=True, packing="gate_up", bias=bias, output_bias=bias)
    position = rotary(c, width, partial=0.5, layout="interleaved")
    groups = c.int("multi_query_group_num") if c.flag("multi_query_attention") else heads

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=groups,
            head_dim=width,
            packing="qkv",
            biases=biases,
            mask=CAUSAL,
            position=position,
            kept_tokens=kept,
        )
        return prenorm(mixer, forward, norm)

    stack = alike(c, hidden, layer, norm)
    changes = {} if c.flag("post_layer_norm") else {"final_norm": None}
    frequencies = Projection(name="frequencies", shape=[width // 4], multiplies=False, buffer=True)
    return causal_model(c, stack.model_copy(update=changes)).model_copy(update={"projections": [frequencies]})


def _first(c: Settings) -> Architecture:
    like(c, "ChatGLM-6B's structure, from modeling_chatglm.py of THUDM/chatglm-6b")
    c = under(c, FIRST)
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    norm, width = Norm(kind="layer", eps=c.number("layernorm_epsilon"), bias=True), hidden // heads or 1
    forward = MLP(intermediate_size=c.int("inner_hidden_size"), activation="gelu", gated=False, bias=True, output_bias=True)
    position = rotary(c, width, partial=0.5)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=heads, head_dim=width, packing="qkv", biases=QKVO, mask=CAUSAL, position=position, kept_tokens=kept
        )
        return prenorm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm)).model_copy(update={"naming": "first"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint; the first model's bidirectional view of its prompt moves no weight."""
    return model(a, FIRST_NAMES if a.naming == "first" else NAMES)
