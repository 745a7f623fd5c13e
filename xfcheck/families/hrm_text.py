"""HRM-Text: the hierarchical reasoning model (arXiv 2506.21734) over text, two stacks applied in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKVO, causal_model, gated, head_dim
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hrm_text",)

NAMES = LLAMA.but(
    {
        "low:layer": "model.L_module.layers.{layer}.",
        "high:layer": "model.H_module.layers.{layer}.",
        "low_start": "model.z_L_init!",
        "attention.gate_qkv": "attn.gqkv_proj",
        "attention.output": "attn.o_proj",
        "attention.gate": "self_attn.gate_proj",
    },
    {
        "attention.gate_qkv": "self_attn.gate_proj|self_attn.q_proj|self_attn.k_proj|self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "mlp.gate_up": "mlp.gate_proj|mlp.up_proj",
    },
)


def architecture(c: Settings) -> Architecture:
    """Each of H_cycles runs the low stack L_cycles times and the high one once; every application keeps keys and values of its own.

    `num_hidden_layers` is a stack's depth where `num_layers_per_stack` is not given, all applications together where it is.
    """
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    width, norm, bias = head_dim(c, hidden, heads, needed=True), Norm(eps=c.number("rms_norm_eps"), weight=False), c.flag("mlp_bias")
    each = c.optional_int("num_layers_per_stack", minimum=1, maximum=LIMIT) or depth(c)
    cycles, lows = c.int("H_cycles"), c.int("L_cycles", minimum=0)
    mixer = Attention(
        query_heads=heads, kv_heads=heads, head_dim=width, packing="gate_qkv", gate="elementwise",
        biases=[*QKVO, "gate"] if c.flag("attention_bias") else [], mask=CAUSAL, position=rotary(c, width),
        dropout=c.number("attention_dropout") or 0.0,
    )  # fmt: skip
    forward = gated(c, bias=bias).model_copy(update={"packing": "gate_up"})
    steps = prenorm(mixer.model_copy(update={"kept_tokens": _kept(c, each * cycles * (lows + 1))}), forward, norm)
    low, high = (
        Stack(
            name=name,
            hidden_size=hidden,
            blocks=[Block(name=name, layers=LayerSet.first(each), sublayers=steps, uses=uses)],
            final_norm=norm,
        )
        for name, uses in (("low", cycles * lows), ("high", cycles))
    )
    multiplier = c.number("embedding_scale") or 1 / (c.number("initializer_range") or 0.02)
    whole = causal_model(c, high, multiplier=multiplier)
    start = Projection(name="low_start", shape=[hidden], multiplies=False)
    return whole.model_copy(update={"stacks": [low, high], "projections": [start]})


def _kept(c: Settings, applications: int) -> int | None:
    """The window that an undeclared key gives to every cache; a list, with one entry an application, makes it an estimate."""
    kept = cached(c, applications)
    if len(kept) > 1:
        c.assume("layer_types", "ignored", "what single applications keep by it is not followed", estimated=True)
        return None
    return next(iter(kept))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an HRM-Text checkpoint."""
    return model(a, NAMES)
