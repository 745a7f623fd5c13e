"""InternLM and InternLM 2 (arXiv 2403.17297): Llama, in the second under names of its own and with one query-key-value matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ._read.blocks import prenorm
from ._read.decoder import QKVO, causal_model, gated, kv_heads, quotient, rms
from ._read.dense import alike
from ._read.llama import llama_like
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("internlm", "internlm2")
CONFIRMED = {"internlm2": "safetensors index of internlm/internlm2-chat-1_8b: 3,778,220,032 bytes, and of internlm2-7b: 15,475,417,088"}

SIZES = {
    "vocab_size": 103168, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
    "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "bias": True,
}  # fmt: skip
FIRST = published(
    "internlm",
    "InternLMConfig",
    "configuration_internlm.py of internlm/internlm-7b",
    defaults=SIZES,
    models={"InternLMForCausalLM": "causal", "InternLMForSequenceClassification": "sequence_classification"},
)
SECOND = published(
    "internlm2",
    "InternLM2Config",
    "configuration_internlm2.py of internlm/internlm2-7b",
    defaults={**SIZES, "num_key_value_heads": None},
    models={"InternLM2ForCausalLM": "causal", "InternLM2ForSequenceClassification": "sequence_classification"},
)
NAMES = LLAMA.but(
    {
        "embedding": "model.tok_embeddings",
        "head": "output",
        "attention.norm": "attention_norm",
        "attention.qkv": "attention.wqkv",
        "attention.output": "attention.wo",
        "feed_forward.norm": "ffn_norm",
        "mlp.gate": "feed_forward.w1",
        "mlp.up": "feed_forward.w3",
        "mlp.down": "feed_forward.w2",
    }
)


def architecture(c: Settings) -> Architecture:
    """`bias` is of the four projections of attention."""
    if c.data.get("model_type") == "internlm":
        c.assume("model_type", "internlm", "Llama's structure under one bias switch; no published total confirms it", estimated=True)
        c = under(c, FIRST)
        return llama_like(c, biases=QKVO if c.flag("bias") else [], mlp_bias=False)
    c = under(c, SECOND, bias=False)
    hidden, norm, heads = c.int("hidden_size"), rms(c), c.int("num_attention_heads")
    width, forward, biases = quotient(c, hidden, heads), gated(c), QKVO if c.flag("bias") else []
    position = rotary(c, width)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=kv_heads(c, heads), head_dim=width, packing="qkv", biases=biases, mask=CAUSAL, position=position,
            kept_tokens=kept,
        )  # fmt: skip
        return prenorm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm)).model_copy(update={"naming": "second"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES if a.naming == "second" else LLAMA)
