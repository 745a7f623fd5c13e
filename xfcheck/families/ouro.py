"""Ouro (Zhu et al. 2025, arXiv 2510.25741): the whole stack in a loop, each pass with its own keys and values, and a gate to leave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ._read.blocks import decoder_stack, sandwiched
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.layers import depth, listed
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("ouro",)
CONFIRMED = {"ouro": "safetensors of ByteDance/Ouro-1.4B, 1,434,652,673 parameters, and of Ouro-2.6B, 2,667,974,657"}

TABLE = published(
    "ouro",
    "OuroConfig",
    "configuration_ouro.py of ByteDance/Ouro-1.4B",
    defaults={
        "vocab_size": 151936, "hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 32, "hidden_act": "silu", "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "total_ut_steps": 4,
        "tie_word_embeddings": False, "use_sliding_window": False, "layer_types": None, "attention_dropout": 0.0,
    },
    models={"OuroForCausalLM": "causal", "OuroModel": "none"},
)  # fmt: skip

NAMES = LLAMA.but(
    {
        "attention.norm_after": "input_layernorm_2",
        "feed_forward.norm_after": "post_attention_layernorm_2",
        "early_exit": "model.early_exit_gate",
    }
)
FULL = "full_attention"


def architecture(c: Settings) -> Architecture:
    """`total_ut_steps` passes through all layers; a norm before and after each step, and one score a pass of whether to leave the loop."""
    c = under(c, TABLE, use_sliding_window=False)
    hidden, norm, layers, passes = c.int("hidden_size"), rms(c), depth(c), c.int("total_ut_steps")
    others = set(listed(c, layers, known=(FULL, "sliding_attention")) or {}) - {FULL}
    if others:
        c.assume("layer_types", sorted(others), "counted as full attention: no published total confirms windows", estimated=True)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    heads = attention(c, hidden, mask=CAUSAL, position=rotary(c, width), width=width)
    stack = decoder_stack(hidden, {("decoder",): LayerSet.first(layers)}, lambda _: sandwiched(heads, gated(c), norm), norm)
    gate = Projection(name="early_exit", shape=[1, hidden], bias=True, uses=passes)
    looped = [block.model_copy(update={"uses": passes}) for block in stack.blocks]
    return causal_model(c, stack.model_copy(update={"blocks": looped, "projections": [gate]}))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
