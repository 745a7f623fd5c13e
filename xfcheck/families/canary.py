"""Canary (Puvvada et al. 2024, arXiv 2406.19674) and Cohere's transcription model: a Fast Conformer and a Transformer decoder of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.positions.tables import Learned
from ..architecture.vocabulary import Embedding, Head
from ._classes import class_table
from ._read.decoder import QKVO, head_dim, kv_heads, maximum_positions
from ._read.encoder_decoder import NORM, whole
from ._read.fast_conformer import PARTS, fast_conformer, subsampling_names
from ._read.head import head_kind
from ._read.plain import plain
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from typing import Any

    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("canary", "cohere_asr")

DECODER = {
    "embedding": "model.decoder.embed_tokens",
    "decoder:positions": "model.decoder.pos_emb",
    "decoder:embedding_norm": "model.decoder.embedding_layernorm",
    "decoder:layer": "model.decoder.layers.{layer}.",
    "decoder:final_norm": "model.decoder.norm",
    "memory_map": "model.decoder.proj",
    **{
        f"decoder:{slot}.{part}": f"{place}.{part[0]}_proj"
        for slot, place in (("attention", "self_attn"), ("cross_attention", "encoder_attn"))
        for part in ("query", "key", "value", "output")
    },
    "decoder:attention.norm": "input_layernorm",
    "cross_attention.norm": "post_attention_layernorm",
    "feed_forward.norm": "final_layernorm",
    "mlp.up": "mlp.fc1",
    "mlp.down": "mlp.fc2",
    "head": "proj_out",
}
ENCODER = {**PARTS, "encoder:layer": "model.encoder.layers.{layer}.", "frames_map": "model.encoder.subsampling.linear"}

NEMO = {
    "embedding": "model.transf_decoder._embedding.token_embedding",
    "decoder:positions": "model.transf_decoder._embedding.position_embedding.pos_enc!",
    "decoder:embedding_norm": "model.transf_decoder._embedding.layer_norm",
    "decoder:layer": "model.transf_decoder._decoder.layers.{layer}.",
    "decoder:final_norm": "model.transf_decoder._decoder.final_layer_norm",
    "memory_map": "model.encoder_decoder_proj",
    **{
        f"decoder:{slot}.{part}": f"{place}_sub_layer.{name}"
        for slot, place in (("attention", "first"), ("cross_attention", "second"))
        for part, name in (("query", "query_net"), ("key", "key_net"), ("value", "value_net"), ("output", "out_projection"))
    },
    "decoder:attention.norm": "layer_norm_1",
    "cross_attention.norm": "layer_norm_2",
    "feed_forward.norm": "layer_norm_3",
    "mlp.up": "third_sub_layer.dense_in",
    "mlp.down": "third_sub_layer.dense_out",
    "head": "log_softmax.mlp.layer0",
    "frames_map": "model.encoder.pre_encode.out",
    **{
        f"encoder:attention.{part}": f"self_attn.linear_{name}"
        for part, name in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "out"))
    },
    "attention.distances": "self_attn.linear_pos",
    "attention.content_bias": "self_attn.pos_bias_u!",
    "attention.distance_bias": "self_attn.pos_bias_v!",
    **{key: name.replace("conv.norm", "conv.batch_norm") for key, name in PARTS.items() if "batch_norm" in key},
}
"""Cohere's checkpoints, in the words of NeMo."""


def architecture(c: Settings) -> Architecture:
    """Canary's positions are sines that no file keeps; Cohere's are a table, and a map makes what is heard as wide as the decoder."""
    cohere = c.table is not None and c.table.model_type == "cohere_asr"
    kind = head_kind(c, "seq2seq")
    writes = c if cohere else c.nested("decoder_config", class_table("canary_decoder"))
    encoder = fast_conformer(hears(c, behind=cohere))
    decoder = decoder_of(writes, encoder.hidden_size, cohere=cohere)
    rows = writes.int("vocab_size")
    position = Learned(rows=writes.int("max_position_embeddings")) if cohere else None
    head = Head(
        kind=kind, rows=rows if kind == "seq2seq" else 0, tied=c.flag("tie_word_embeddings"), bias=kind == "seq2seq", stream="decoder"
    )  # fmt: skip
    made = whole(c, [encoder, decoder], Embedding(rows=rows, position=position, streams=["decoder"]), head)
    return made.model_copy(update={"maximum_positions": maximum_positions(writes), "naming": "nemo" if cohere else None})


def hears(c: Settings, *, behind: bool) -> Settings:
    """The encoder's settings; without such an object, as the whole makes it. `behind`: the whole's values stand behind a file's too."""
    own = c.mapping("encoder_config")
    presets: dict[str, Any] = {} if c.table is None else c.table.sub_defaults.get("encoder_config", {})
    if own is not None and own.get("model_type", "parakeet_encoder") != "parakeet_encoder":
        c.assume(
            "encoder_config/model_type", own["model_type"], "an encoder that is not described here: read as Fast Conformer", estimated=True
        )
    given = presets if own is None else {**presets, **own} if behind else own
    return Settings(given, class_table("parakeet_encoder"), pointer=c.at("encoder_config"), reading=c.reading)


def decoder_of(c: Settings, memory: int, *, cohere: bool) -> Stack:
    """Pre-norm layers, and a norm of the words and their positions."""
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    shape: dict[str, Any] = {
        "query_heads": heads,
        "kv_heads": kv_heads(c, heads),
        "head_dim": head_dim(c, hidden, heads),
        "biases": QKVO if c.flag("attention_bias") else [],
    }
    if not cohere and memory != hidden:
        raise c.refuse("hidden_size", f"hidden_size {hidden} is not the encoder's {memory}", code="XF117")
    parts = [
        ("attention", Attention(**shape, mask=CAUSAL)),
        ("cross_attention", CrossAttention(**shape)),
        ("feed_forward", plain(c.int("intermediate_size"), c.text("hidden_act") or "relu")),
    ]
    steps = [Sublayer(name=name, mixers=[mixer], norm=NORM) for name, mixer in parts]
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(
        stream="decoder",
        hidden_size=hidden,
        blocks=[Block(name="decoder", layers=layers, sublayers=steps)],
        embedding_norm=NORM,
        final_norm=NORM,
        projections=[Projection(name="memory_map", shape=[hidden, memory], bias=True, stream="encoder")] if cohere else [],
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    found = a.stacks[0].projections
    module = {**ENCODER, **DECODER, **subsampling_names(found, "model.encoder.subsampling.layers.")}
    if a.naming != "nemo":
        return model(a, Names(module))
    return model(a, Names({**module, **NEMO, **subsampling_names(found, "model.encoder.pre_encode.conv.")}, module))
