"""PEGASUS-X (Phang et al. 2022, arXiv 2208.04347): long sources in blocks, with trained global vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Padding, Projection
from ..architecture.layers import LayerSet
from ..architecture.masks import Mask
from ..architecture.mixers.global_local_attention import GlobalLocalAttention
from ._read.decoder import quotient
from ._read.encoder_decoder import Style, encoder_decoder, feed_forward, step
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("pegasus_x",)

STYLE = Style(pre_norm=True, final_norm=True, embedding_norm=False, positions="none", logits_bias=False, biases=[])

NAMES = BART.but(
    {
        **{
            key.replace("attention", "global_local_attention", 1): name
            for key, name in BART.checkpoint.items()
            if key.startswith("attention.")
        },
        "global_embedding": "model.encoder.embed_global",
        "attention.global_norm": "global_self_attn_layer_norm",
    }
)


def architecture(c: Settings) -> Architecture:
    """Pre-norm, computed positions, no biases in the attention; every second encoder layer has its blocks half a block off."""
    a = encoder_decoder(c, STYLE)
    encoder, decoder = a.stacks
    return a.model_copy(update={"stacks": [sparse(c, encoder), decoder]})


def sparse(c: Settings, encoder: Stack) -> Stack:
    """The encoder with its own attention, its global vectors, and the padding to whole blocks."""
    block, count, layers = c.int("block_size"), c.int("num_global_tokens", minimum=0), encoder.depth
    even, odd = LayerSet.spaced(0, layers, 2), LayerSet.spaced(1, layers, 2)
    held = {"aligned": even, "staggered": odd} if c.flag("stagger_local_blocks") else {"aligned": LayerSet.first(layers)}
    return encoder.model_copy(
        update={
            "blocks": [layer(c, encoder, name, layers, block, count) for name, layers in held.items() if len(layers)],
            "padding": Padding(multiple=block, extra=count),
            "projections": [
                Projection(name="global_embedding", shape=[count, encoder.hidden_size], multiplies=False, component="token_embedding")
            ],
        }
    )


def layer(c: Settings, encoder: Stack, name: str, layers: LayerSet, block: int, count: int) -> Block:
    """Layers whose blocks lie alike; the global vectors have a norm of their own before the attention."""
    heads = c.int("encoder_attention_heads")
    own = GlobalLocalAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, encoder.hidden_size, heads),
        input_size=encoder.hidden_size,
        mask=Mask(kind="block_sparse", window=block, block=block, global_tokens=count),
        block=block,
        globals=count,
        staggered=name == "staggered",
    )
    attending = step("attention", own, STYLE).model_copy(
        update={"projections": [Projection(name="global_norm", shape=[encoder.hidden_size], multiplies=False, bias=True, component="norm")]}
    )
    return Block(name=name, layers=layers, sublayers=[attending, step("feed_forward", feed_forward(c, "encoder"), STYLE)])


def ledger(a: Architecture) -> list[Row]:
    """The rows of a PEGASUS-X checkpoint."""
    return bart_rows(a, NAMES)
