"""Omnilingual ASR (Meta 2025, arXiv 2511.09690): a language model that hears through wav2vec 2.0's encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._classes import class_table
from ._read.audio_language import audio_language, language_width, maps
from ._read.decoder import QKVO, layer_norm, quotient
from ._read.wave_encoder import feature_names, features
from ._rows import audio_names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("omniasr",)

PARTS = {
    **{
        f"attention.{part}": f"attention.{name}"
        for part, name in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "out_proj"))
    },
    "attention.norm": "layer_norm",
    "feed_forward.norm": "final_layer_norm",
    "mlp.up": "feed_forward.intermediate_dense",
    "mlp.down": "feed_forward.output_dense",
    "layer": "audio_tower.layers.{layer}.",
    "final_norm": "audio_tower.layer_norm",
    "features_norm": "audio_tower.subsampling.layer_norm",
    "features_map": "audio_tower.subsampling.projection",
    "position_conv": "audio_tower.encode_positions.conv",
    "linear": "multi_modal_projector",
}


def architecture(c: Settings) -> Architecture:
    """The tower, one map, the language model with a head of its own."""
    audio = c.nested("audio_config", class_table("omniasr_audio"))
    return audio_language(c, tower(audio), maps([("linear", language_width(c), audio.int("hidden_size"))]), tied=False, naming="joined")


def tower(c: Settings) -> Stack:
    """Convolutions over the waveform, a grouped convolution for positions, pre-norm layers."""
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), layer_norm(c)
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=quotient(c, hidden, heads), biases=QKVO, mask=BIDIRECTIONAL)
    forward = MLP(
        intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "gelu", gated=False, bias=True, output_bias=True
    )
    steps = [Sublayer(name="attention", mixers=[own], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)]
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    groups = c.int("num_conv_pos_embedding_groups")
    last = (c.list("conv_dim") or [1])[-1]
    return Stack(
        stream="audio",
        hidden_size=hidden,
        blocks=[Block(name="audio", layers=layers, sublayers=steps)],
        final_norm=norm,
        projections=[
            *features(c),
            Projection(name="features_norm", shape=[last], multiplies=False, bias=True),
            Projection(name="features_map", shape=[hidden, last], bias=True),
            Projection(name="position_conv", shape=[hidden, hidden // groups, c.int("num_conv_pos_embeddings")], bias=True),
        ],
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Omnilingual ASR checkpoint."""
    stages = feature_names(a.stacks[-1].projections, "audio_tower.subsampling.conv_layers")
    return audio_names.audio_rows(a, {**PARTS, **stages})
