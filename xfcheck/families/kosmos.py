"""Kosmos-2 (Peng et al. 2023, arXiv 2306.14824) and Kosmos-2.5 (arXiv 2309.11419): trained queries read an image for a decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import CAUSAL
from ._classes import class_table
from ._read.decoder import QKVO, causal_model, layer_norm
from ._read.plain import multi_head, plain, sequential
from ._read.towers import Layout, language, maps, tower, vectors, whole
from ._read.undeclared import cache_window
from ._rows.model import model
from ._rows.names import Names
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("kosmos-2", "kosmos-2.5", "kosmos_2_text_model", "kosmos_2_5_text_model")

TEXT = Names(
    {
        "embedding": "model.embed_tokens",
        "types": "model.segment_emb",
        "layer": "model.layers.{layer}.",
        "attention.norm": "self_attn_layer_norm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "attention.inner_norm": "self_attn.inner_attn_ln",
        "feed_forward.norm": "final_layer_norm",
        "mlp.up": "ffn.fc1",
        "mlp.down": "ffn.fc2",
        "mlp.inner_norm": "ffn.ffn_layernorm",
        "final_norm": "model.layer_norm",
        "head": "lm_head",
    }
)
LAYOUT = Layout({"": "text_model."}, {"": "text_model."}, "", "")
BRIDGE = "image_to_text_projection."
NAMES = {
    "dense": f"{BRIDGE}dense",
    "queries": f"{BRIDGE}latent_query!",
    **{part: f"{BRIDGE}x_attn.{name}_proj" for part, name in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "out"))},
}


def architecture(c: Settings) -> Architecture:
    """The whole: its tower, a map, and attention of `latent_query_num` queries; or the decoder alone.

    Kosmos-2's head is its table where the whole or the language model says so.
    """
    kind = "" if c.table is None else c.table.model_type
    if kind.endswith("text_model"):
        return decoder(c, second=kind == "kosmos_2_text_model")
    own = c.nested("text_config", class_table("kosmos_2_text_model"))
    ties = own.flag("tie_word_embeddings") or c.flag("tie_word_embeddings") if kind == "kosmos-2" else None
    text, seen = language(c, ties=ties), tower(c)
    wide = text.width
    bridge = [
        *maps([("dense", wide, seen.width), *((part, wide, wide) for part in ("query", "key", "value", "output"))]),
        vectors("queries", c.int("latent_query_num"), wide),
    ]
    return whole(c, LAYOUT, text, {"vision_model.model" if kind == "kosmos-2" else "vision_model": seen}, bridge)


def decoder(c: Settings, *, second: bool) -> Architecture:
    """Pre-norm, a norm inside the network, Kosmos-2's inside attention too. Positions are sines that no file keeps."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    own = multi_head(c, hidden, mask=CAUSAL, biases=QKVO, kept_tokens=cache_window(c))
    own = own.model_copy(update={"output_norm": norm}) if second else own
    forward = plain(c.int("ffn_dim"), c.text("activation_function") or "gelu").model_copy(update={"inner_norm": norm})
    if c.flag("add_cross_attention"):
        c.assume("add_cross_attention", True, "the cross attention is not counted", estimated=True)
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    block = Block(name="decoder", layers=layers, sublayers=sequential(own, forward, norm))
    made = causal_model(c, Stack(hidden_size=hidden, blocks=[block], final_norm=norm))
    table = made.embedding
    return made if second or table is None else made.model_copy(update={"embedding": table.model_copy(update={"types": 2})})


def ledger(a: Architecture) -> list[Row]:
    """The rows of the whole, or of the decoder."""
    return tower_rows(a, NAMES, inside="") if a.members else model(a, TEXT)
