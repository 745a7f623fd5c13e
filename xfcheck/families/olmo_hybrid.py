"""OLMo Hybrid: gated delta rule behind a norm, attention before one, three to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, kv_heads, rms
from ._read.gated_delta import gated_delta
from ._read.hybrid import FULL, LINEAR, two_step
from ._read.layers import depth, every, listed
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import gated_delta as delta_names

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.mixers.attention import Attention
    from ..architecture.mixers.gated_delta import GatedDelta
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("olmo_hybrid",)

DELTA = "linear_attn"

NAMES = LLAMA.but(
    {
        **delta_names(DELTA),
        "gated_delta.query": f"{DELTA}.q_proj",
        "gated_delta.key": f"{DELTA}.k_proj",
        "gated_delta.value": f"{DELTA}.v_proj",
        "gated_delta.gate": f"{DELTA}.g_proj",
        "gated_delta.beta": f"{DELTA}.b_proj",
        "gated_delta.step": f"{DELTA}.a_proj",
        "gated_delta.query_conv": f"{DELTA}.q_conv1d",
        "gated_delta.key_conv": f"{DELTA}.k_conv1d",
        "gated_delta.value_conv": f"{DELTA}.v_conv1d",
        "gated_delta.gated_norm": f"{DELTA}.o_norm",
        "gated_delta.out": f"{DELTA}.o_proj",
        "gated_delta.norm": "attention_layer_norm",
        "attention.norm_after": "feedforward_layer_norm",
        "feed_forward.norm": "feedforward_layer_norm",
        "feed_forward.norm_after": "post_feedforward_layernorm",
    },
    {
        "gated_delta.query_conv": f"{DELTA}.conv1d",
        "gated_delta.key_conv": f"{DELTA}.conv1d",
        "gated_delta.value_conv": f"{DELTA}.conv1d",
        "gated_delta.norm": "input_layernorm",
        "attention.norm_after": "post_attention_layernorm",
        "feed_forward.norm": "post_attention_layernorm",
    },
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types`, else attention in each fourth, in the last where there are fewer."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    mixing = kinds(c, layers)

    def first(kind: str) -> Sublayer:
        if kind == LINEAR:
            return Sublayer(name="gated_delta", mixers=[delta(c, hidden)], norm=norm)
        return Sublayer(name="attention", mixers=[normed_attention(c, hidden, norm)], norm_after=norm)

    def second(kind: str) -> Sublayer:
        before, after = (norm, None) if kind == LINEAR else (None, norm)
        return Sublayer(name="feed_forward", mixers=[gated(c)], norm=before, norm_after=after)

    return causal_model(c, Stack(hidden_size=hidden, blocks=two_step(mixing, first, mixing, second), final_norm=norm))


def kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Which layers attend. Raises Refused XF114 where all of them do, or none."""
    named = listed(c, layers, known=(LINEAR, FULL)) or (
        every(layers, 4, FULL, LINEAR) if layers >= 4 else every(layers, layers, FULL, LINEAR)
    )
    if set(named) != {LINEAR, FULL}:
        raise c.refuse("layer_types", f"all layers are {' and '.join(named)}: the class takes both kinds or none", code="XF114")
    return named


def delta(c: Settings, hidden: int) -> GatedDelta:
    """The delta rule; missing sizes follow from the attention heads: three quarters of the width for keys, twice a key for a value."""
    attending = c.int("num_attention_heads")
    key_heads = c.optional_int("linear_num_key_heads", minimum=1) or attending
    key = c.optional_int("linear_key_head_dim", minimum=1) or int(0.75 * hidden / key_heads)
    return gated_delta(
        c,
        "separate",
        split_convolution=True,
        key_heads=key_heads,
        value_heads=c.optional_int("linear_num_value_heads", minimum=1) or attending,
        key_dim=key,
        value_dim=c.optional_int("linear_value_head_dim", minimum=1) or 2 * key,
    )


def normed_attention(c: Settings, hidden: int, norm: Norm) -> Attention:
    """Attention with norms over all queries and over all keys."""
    heads = c.int("num_attention_heads")
    width = head_dim(c, hidden, heads)
    return attention(
        c, hidden, mask=CAUSAL, position=rotary(c, width), biases=QKVO if c.flag("attention_bias") else [], width=width,
        query_norm=Norm(eps=norm.eps, size=heads * width), key_norm=Norm(eps=norm.eps, size=kv_heads(c, heads) * width),
    )  # fmt: skip


def ledger(a: Architecture) -> list[Row]:
    """The rows of an OLMo Hybrid checkpoint as it is saved: the convolution cut in three."""
    return model(a, NAMES)
