"""Persimmon, and Fuyu over it (Adept): GPT-NeoX's layout, a layer norm on each query and key head; image patches by one linear map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.vocabulary import Head
from ..problems import Refused
from ._classes import class_table
from ._read.blocks import prenorm
from ._read.decoder import QKVO, causal_model, layer_norm, quotient
from ._read.dense import alike
from ._read.head import head_kind
from ._read.rotary import rotary
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Stack, Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("persimmon", "fuyu")

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "attention.qkv": "self_attn.query_key_value",
        "attention.output": "self_attn.dense",
        "attention.query_norm": "self_attn.q_layernorm",
        "attention.key_norm": "self_attn.k_layernorm",
        "mlp.up": "mlp.dense_h_to_4h",
        "mlp.down": "mlp.dense_4h_to_h",
        "mlp.activation": "mlp.act",
    }
)


_INSIDE = ("embedding", "layer", "final_norm")

FUYU = NAMES.but(
    {
        **{key: f"language_model.{NAMES.checkpoint[key]}" for key in _INSIDE},
        "head": "language_model.lm_head",
        "patches": "vision_embed_tokens",
    },
    {
        **{key: NAMES.checkpoint[key].replace("model.", "model.language_model.", 1) for key in _INSIDE},
        "head": "lm_head",
        "patches": "model.vision_embed_tokens",
    },
    "",
)._replace(
    module_prefix="model.",
)


def architecture(c: Settings) -> Architecture:
    """As many key-value as query heads of hidden / heads; biases everywhere but at the head; half of each head is turned."""
    if c.table is None or c.table.model_type != "fuyu":
        return causal_model(c, _stack(c))
    inner = _text(c)
    whole = causal_model(inner, _stack(inner), tied=c.flag("tie_word_embeddings"))
    width = whole.main.hidden_size
    patches = Projection(
        name="patches", shape=[width, c.int("patch_size") ** 2 * c.int("num_channels")], bias=True, component="projector", stream="image"
    )
    head = whole.head if head_kind(c) == "causal" else Head(kind="none")
    return whole.model_copy(update={"projections": [patches], "head": head})


def _text(c: Settings) -> Settings:
    """The text model of a Fuyu file, read by Persimmon's class whatever the file calls it. Raises Refused XF101 for another type's."""
    text = c.nested("text_config", class_table("persimmon"))
    named = text.data.get("model_type", "persimmon")
    if named != "persimmon":
        raise Refused(f"no family reads Fuyu over a {named!r} text model", code="XF101", pointer=text.at("model_type"))
    outer = {key: c.data[key] for key in ("dtype", "torch_dtype", "quantization_config") if key in c.data}
    return Settings({**text.data, **outer}, text.table, pointer=text.pointer, reading=c.reading)


def _stack(c: Settings) -> Stack:
    """The column of layers: GPT-NeoX's layout, each behind a layer norm."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    width = quotient(c, hidden, heads)
    head_norm = norm.model_copy(update={"size": width}) if c.flag("qk_layernorm") else None
    position = rotary(c, width, partial=0.5)
    forward = MLP(
        intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "relu2", gated=False, bias=True, output_bias=True
    )

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=heads, head_dim=width, packing="qkv", biases=QKVO, query_norm=head_norm, key_norm=head_norm,
            mask=CAUSAL, position=position, kept_tokens=kept, dropout=c.number("attention_dropout") or 0.0,
        )  # fmt: skip
        return prenorm(mixer, forward, norm)

    return alike(c, hidden, layer, norm)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Persimmon or Fuyu checkpoint."""
    return model(a, FUYU if a.projections else NAMES)
