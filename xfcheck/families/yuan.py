"""Yuan 2.0 (arXiv 2311.15786): queries and keys read each token through a filter over it and its neighbours before, values do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.blocks import prenorm
from ._read.decoder import causal_model, gated, quotient, rms
from ._read.dense import causal_stack
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..architecture.part import Mixer
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("yuan",)
TAPS = 2

TABLE = published(
    "yuan",
    "YuanConfig",
    "configuration_yuan.py of IEITYuan/Yuan2-2B-hf",
    defaults={
        "vocab_size": 135040, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 24, "num_attention_heads": 32,
        "hidden_act": "silu", "max_position_embeddings": 8192, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
    },
    models={"YuanForCausalLM": "causal"},
)  # fmt: skip

NAMES = LLAMA.but(
    {
        "attention.filter_down": "self_attn.lf_gate.conv1",
        "attention.filter_up": "self_attn.lf_gate.conv2",
        "attention.filter_norm": "self_attn.lf_gate.output_layernorm",
    }
)


def architecture(c: Settings) -> Architecture:
    """Two convolutions of two taps, to half the width and back, and a norm before queries and keys of every layer."""
    like(c, "read from the published class: the report's 2.1B parameters are rounded")
    if c.data.get("moe_config") is not None:
        c.assume("moe_config", None, "experts of the class are not counted", estimated=True)
    c = under(c, TABLE)
    hidden, norm = c.int("hidden_size"), rms(c)
    width = quotient(c, hidden, c.int("num_attention_heads"))
    filters = [
        Projection(name="filter_down", shape=[hidden // 2, hidden, TAPS, 1], bias=True, component="convolution"),
        Projection(name="filter_up", shape=[hidden, hidden // 2, TAPS, 1], bias=True, component="convolution"),
        Projection(name="filter_norm", shape=[hidden], multiplies=False, component="norm"),
    ]

    def arrange(heads: Mixer, forward: Mixer, between: Norm) -> list[Sublayer]:
        attention, network = prenorm(heads, forward, between)
        return [attention.model_copy(update={"projections": filters}), network]

    stack = causal_stack(c, hidden, gated(c), norm, width=width, position=rotary(c, width), biases=[], arrange=arrange)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
