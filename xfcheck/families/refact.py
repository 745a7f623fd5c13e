"""Refact-1.6B (Small Magellanic Cloud AI, 2023): GPT-2 names around one key-value head, slopes, norms without a bias, a gated network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ..architecture.positions.biases import Alibi
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import causal_model, quotient
from ._read.layers import depth
from ._read.published import like, published, under
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gpt_refact",)

TABLE = published(
    "gpt_refact",
    "GPTRefactConfig",
    "configuration_gpt_refact.py of smallcloudai/Refact-1_6B-fim",
    defaults={
        "vocab_size": 49216, "n_positions": 4096, "n_embd": 1024, "n_layer": 32, "n_head": 64, "n_inner": None,
        "layer_norm_epsilon": 1e-5, "tie_word_embeddings": False,
    },
    aliases={
        "hidden_size": "n_embd", "max_position_embeddings": "n_positions", "num_attention_heads": "n_head", "num_hidden_layers": "n_layer",
    },
    models={"GPTRefactForCausalLM": "causal", "GPTRefactModel": "none"},
)  # fmt: skip

NAMES = TRANSFORMER.but(
    {
        "attention.query": "attn.q",
        "attention.key_value": "attn.kv",
        "attention.output": "attn.c_proj",
        "mlp.gate_up": "mlp.gate_up_proj",
        "mlp.down": "mlp.c_proj",
    }
)
OF = 256
"""The inner width is two thirds of `n_inner`, rounded up to a multiple of this."""


def architecture(c: Settings) -> Architecture:
    """No biases; one head of keys and values, in one tensor; gate and up in one."""
    like(c, "read from what serves it: no total that is known confirms it")
    c = under(c, TABLE)
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    norm = Norm(eps=c.number("layer_norm_epsilon"))
    inner = 2 * (c.optional_int("n_inner", minimum=1) or 4 * hidden) // 3
    own = Attention(query_heads=heads, kv_heads=1, head_dim=quotient(c, hidden, heads), packing="key_value", mask=CAUSAL, position=Alibi())
    forward = MLP(intermediate_size=-(-inner // OF) * OF, activation="silu", gated=True, packing="gate_up")
    layers = {("decoder",): LayerSet.first(depth(c))}
    return causal_model(c, decoder_stack(hidden, layers, lambda _: prenorm(own, forward, norm), norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
