"""TeleChat and TeleChat 2 (arXiv 2401.03804): Llama under BLOOM's names; one key-value matrix, biases on what each step adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._read.blocks import prenorm
from ._read.decoder import causal_model, kv_heads, quotient, rms
from ._read.dense import alike
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("telechat",)

TABLE = published(
    "telechat",
    "TelechatConfig",
    "configuration_telechat.py of Tele-AI/telechat-7B",
    defaults={
        "vocab_size": 160256, "hidden_size": 4096, "n_layer": 30, "n_head": 32, "num_key_value_heads": None, "ffn_hidden_size": 12288,
        "layer_norm_epsilon": 1e-5, "embed_layernorm": False, "seq_length": 8192, "tie_word_embeddings": True,
    },
    aliases={
        "num_hidden_layers": "n_layer", "num_attention_heads": "n_head", "intermediate_size": "ffn_hidden_size",
        "max_position_embeddings": "seq_length",
    },
    models={"TelechatForCausalLM": "causal", "TeleChatForCausalLM": "causal", "Telechat2ForCausalLM": "causal"},
)  # fmt: skip

NAMES = TRANSFORMER.but(
    {
        "embedding": "transformer.word_embeddings",
        "embedding_norm": "transformer.word_embeddings_layernorm",
        "attention.norm": "input_layernorm",
        "attention.query": "self_attention.query",
        "attention.key_value": "self_attention.key_value",
        "attention.output": "self_attention.dense",
        "feed_forward.norm": "post_attention_layernorm",
        "mlp.gate": "mlp.gate_proj",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """Biases on the output of attention and of the network alone; experts (`num_moe_experts`) are not read."""
    like(c, "read from the published class: no total that is known confirms it")
    if c.data.get("num_moe_experts"):
        c.assume("num_moe_experts", c.data["num_moe_experts"], "experts of the class are not counted", estimated=True)
    c = under(c, TABLE)
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), rms(c, "layer_norm_epsilon")
    width, forward = quotient(c, hidden, heads), MLP(intermediate_size=c.int("intermediate_size"), gated=True, output_bias=True)
    position = rotary(c, width)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=kv_heads(c, heads),
            head_dim=width,
            packing="key_value",
            biases=["output"],
            mask=CAUSAL,
            position=position,
            kept_tokens=kept,
        )
        return prenorm(mixer, forward, norm)

    stack = alike(c, hidden, layer, norm)
    return causal_model(c, stack.model_copy(update={"embedding_norm": norm if c.flag("embed_layernorm") else None}))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
