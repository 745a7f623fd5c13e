"""Llama 3.2 Vision (arXiv 2407.21783, section 7): gated cross attention layers that are left out without an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.norm import Norm
from ._read.composite import language_model
from ._read.decoder import attention, causal_model, gated, kv_heads, quotient, rms
from ._read.head import architecture_name, named_kind
from ._read.layers import depth
from ._read.plain import sequential
from ._read.rotary import rotary
from ._read.towers import SPLIT, language, maps, tower, whole
from ._read.undeclared import cache_window
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mllama", "mllama_text_model")

NAMES = LLAMA.but(
    {
        "cross_attention.norm": "input_layernorm",
        "cross_attention.query": "cross_attn.q_proj",
        "cross_attention.key": "cross_attn.k_proj",
        "cross_attention.value": "cross_attn.v_proj",
        "cross_attention.output": "cross_attn.o_proj",
        "cross_attention.query_norm": "cross_attn.q_norm",
        "cross_attention.key_norm": "cross_attn.k_norm",
        "cross_attention.gate": "cross_attn_attn_gate!",
        "feed_forward.gate": "cross_attn_mlp_gate!",
    }
)
SPECIAL_ROWS = 8
"""Rows of the table beyond the vocabulary: the image token and what was kept free beside it."""


def architecture(c: Settings) -> Architecture:
    """Text alone: `cross_attention_layers` count as parameters and do no work. The class that reads images has a tower."""
    named = architecture_name(c)
    if c.table is not None and c.table.model_type == "mllama":
        if named_kind(c) == "conditional_generation":
            text, seen = language(c), tower(c)
            projector = maps([("map", text.width, seen.settings.int("vision_output_dim"))])
            return whole(c, SPLIT, text, {"vision_model": seen}, projector)
        if named not in (None, "MllamaForCausalLM", "MllamaTextModel"):
            c.assume("vision_config", None, "the image tower and the projector are not counted: the language model alone", estimated=True)
        c = language_model(c, "mllama_text_model")
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    heads = c.int("num_attention_heads")
    width, position = quotient(c, hidden, heads), None
    position = rotary(c, width)
    crossing = LayerSet.of(
        i for i in c.list("cross_attention_layers") or [3, 8, 13, 18, 23, 28, 33, 38] if isinstance(i, int) and 0 <= i < layers
    )
    forward = gated(c)
    own = attention(c, hidden, mask=CAUSAL, position=position, width=width, kept_tokens=cache_window(c))
    cross = CrossAttention(
        query_heads=heads,
        kv_heads=kv_heads(c, heads),
        head_dim=width,
        query_norm=Norm(eps=norm.eps, size=width),
        key_norm=Norm(eps=norm.eps, size=width),
        memory="absent",
    )
    gate = Projection(name="gate", shape=[1], multiplies=False, component="cross_attention")
    gated_steps = [
        Sublayer(name="cross_attention", mixers=[cross], norm=norm, projections=[gate]),
        Sublayer(name="feed_forward", mixers=[forward], norm=norm, projections=[gate]),
    ]
    rest = LayerSet.of(i for i in range(layers) if i not in crossing)
    blocks = [
        Block(name="text", layers=rest, sublayers=sequential(own, forward, norm)),
        Block(name="cross", layers=crossing, stream="absent", sublayers=gated_steps),
    ]
    made = causal_model(c, Stack(hidden_size=hidden, blocks=[b for b in blocks if len(b.layers)], final_norm=norm), tied=False)
    table = made.embedding and made.embedding.model_copy(update={"rows": made.embedding.rows + SPECIAL_ROWS})
    return made.model_copy(update={"embedding": table})


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model, or of the whole."""
    return tower_rows(a, {"map": "multi_modal_projector"}) if a.members else model(a, NAMES)
