"""BigBird-PEGASUS (Zaheer et al. 2020, arXiv 2007.14062): a block-sparse encoder, a decoder after BART."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Padding
from ..architecture.masks import Mask
from ..architecture.mixers.bigbird_attention import BigBirdAttention
from ._read.decoder import QKVO, quotient
from ._read.encoder_decoder import Style, encoder_decoder, feed_forward, step
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("bigbird_pegasus",)

ENCODER = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output"}

NAMES = BART.but(
    {
        "encoder:final_norm": "model.encoder.layernorm_embedding",
        "decoder:final_norm": "model.decoder.layernorm_embedding",
        **{f"{kind}.{part}": f"self_attn.{name}" for kind in ("encoder:attention", "bigbird_attention") for part, name in ENCODER.items()},
    }
)


def architecture(c: Settings) -> Architecture:
    """Pre-norm, learned positions; the norm that closes a stack is named as if it followed the tables. The causal class is never tied."""
    a = encoder_decoder(c, style(c))
    if len(a.stacks) == 1:
        return a.model_copy(update={"head": a.head.model_copy(update={"tied": False})})
    kind = c.text("attention_type") or "block_sparse"
    if kind not in ("block_sparse", "original_full"):
        raise c.refuse("attention_type", f"attention_type is {kind!r}", code="XF118", help="block_sparse or original_full")
    if kind == "original_full":
        return a
    encoder, decoder = a.stacks
    return a.model_copy(update={"stacks": [sparse(c, encoder), decoder]})


def style(c: Settings) -> Style:
    """Biases in the attention as `use_bias` says."""
    return Style(pre_norm=True, final_norm=True, embedding_norm=False, biases=list(QKVO) if c.flag("use_bias") else [])


def sparse(c: Settings, encoder: Stack) -> Stack:
    """The encoder with block-sparse attention, padded to whole blocks where the sequence is long enough for it."""
    heads, block, chosen = c.int("encoder_attention_heads"), c.int("block_size"), c.int("num_random_blocks", minimum=0)
    own = BigBirdAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, encoder.hidden_size, heads),
        biases=style(c).biases,
        mask=Mask(kind="block_sparse", window=3 * block, block=block, global_tokens=2 * block, random_blocks=chosen),
        block=block,
        random_blocks=chosen,
    )
    steps = [step("attention", own, style(c)), step("feed_forward", feed_forward(c, "encoder"), style(c))]
    blocks = [held.model_copy(update={"sublayers": steps}) for held in encoder.blocks]
    return encoder.model_copy(update={"blocks": blocks, "padding": Padding(multiple=block, above=own.full_below)})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a BigBird-PEGASUS checkpoint."""
    return bart_rows(a, NAMES)
