"""CANINE (Clark et al. 2021, arXiv 2103.06874): hashes of characters, a layer over neighbours, a deep encoder of every fourth, a last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Padding, Projection, Stack
from ..architecture.layers import LayerSet
from ..architecture.mixers.blocked_attention import BlockedAttention
from ..architecture.mixers.stream_attention import StreamAttention
from ..architecture.model import Architecture
from ._read.decoder import dtype, layer_norm, maximum_positions
from ._read.encoder import Tasks, encoder_head, residual_steps, self_attention
from ._read.layers import depth
from ._rows.encoder_names import CLASSIFIER, LAYER
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.mixers.attention import Attention
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("canine",)

CHARACTERS = "canine.char_embeddings"
MOLECULES = "molecules"
"""The stream of every `downsampling_rate`-th place."""

NAMES = Names(
    {
        **LAYER,
        **CLASSIFIER,
        "hashes": f"{CHARACTERS}.HashBucketCodepointEmbedder_{{number}}",
        "places": f"{CHARACTERS}.char_position_embeddings",
        "kinds": f"{CHARACTERS}.token_type_embeddings",
        "embedding_norm": f"{CHARACTERS}.LayerNorm",
        "first:layer": "canine.initial_char_encoder.layer.{layer}.",
        "deep:layer": "canine.encoder.layer.{layer}.",
        "last:layer": "canine.final_char_encoder.layer.{layer}.",
        "down": "canine.chars_to_molecules.conv",
        "down_norm": "canine.chars_to_molecules.LayerNorm",
        "up": "canine.projection.conv",
        "up_norm": "canine.projection.LayerNorm",
        "pooler": "canine.pooler.dense",
    },
    base_prefix="canine.",
)


def architecture(c: Settings) -> Architecture:
    """`num_hash_functions` tables share out the width; two convolutions go to every `downsampling_rate`-th place and back.

    The first layer attends inside blocks of `local_transformer_stride` characters, the last over all of them.
    """
    hidden, norm, hashes, rate = c.int("hidden_size"), layer_norm(c), c.int("num_hash_functions"), c.int("downsampling_rate")
    if hidden % hashes:
        raise c.refuse("num_hash_functions", f"{hashes} hash functions do not divide hidden_size {hidden}", code="XF102")
    every = self_attention(c, hidden, causal=False)
    alike = every.model_dump(exclude={"kind", "name"})
    near = BlockedAttention(name="attention", block=c.int("local_transformer_stride"), apart=True, **alike)
    pooled = StreamAttention(name="attention", **alike)

    def stack(name: str, layers: int, mixer: Attention, stream: str = "text") -> Stack:
        steps = residual_steps(c, hidden, norm, cross=False, mixer=mixer)
        blocks = [Block(name=name, layers=LayerSet.first(layers), sublayers=steps)]
        return Stack(name=name, stream=stream, hidden_size=hidden, blocks=blocks, padding=None if stream == "text" else Padding(every=rate))

    first = stack("first", 1, near).model_copy(update={"embedding_norm": norm})
    tasks = Tasks(
        default="none", pooled=("none", "sequence_classification", "multiple_choice", "token_classification", "question_answering")
    )
    return Architecture(
        embedding=None,
        stacks=[first, stack("deep", depth(c), pooled, MOLECULES), stack("last", 1, every)],
        head=encoder_head(c, tasks, 0),
        projections=_around(c, hidden, hashes, rate),
        maximum_positions=maximum_positions(c),
        dtype=dtype(c),
        quantization=c.mapping("quantization_config"),
    )


def _around(c: Settings, hidden: int, hashes: int, rate: int) -> list[Projection]:
    """The tables, and the convolutions with their norms."""
    buckets = c.int("num_hash_buckets")
    each = Projection(
        name="hashes",
        shape=[buckets, hidden // hashes],
        multiplies=False,
        component="token_embedding",
        numbers=LayerSet.first(hashes),
    )
    places = Projection(name="places", shape=[buckets, hidden], multiplies=False, component="position_embedding")
    kinds = Projection(name="kinds", shape=[c.int("type_vocab_size"), hidden], multiplies=False, component="token_embedding")
    down = Projection(name="down", shape=[hidden, hidden, rate], bias=True, component="convolution", stream=MOLECULES)
    up = Projection(name="up", shape=[hidden, 2 * hidden, c.int("upsampling_kernel_size")], bias=True, component="convolution")
    norms = [Projection(name=f"{name}_norm", shape=[hidden], multiplies=False, bias=True, component="norm") for name in ("down", "up")]
    return [each, places, kinds, down, up, *norms]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
