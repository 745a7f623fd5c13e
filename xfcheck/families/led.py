"""LED, the encoder-decoder of Longformer (Beltagy et al. 2020, arXiv 2004.05150): BART with a windowed encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Padding
from ..architecture.layers import LayerSet
from ..architecture.masks import Mask
from ..architecture.mixers.longformer_attention import LongformerAttention
from ..architecture.vocabulary import Embedding
from ._read.decoder import QKVO, maximum_positions, quotient
from ._read.encoder_decoder import Style, feed_forward, logits_bias, stack, step, table, whole, word_head
from ._read.head import head_kind
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("led",)

STYLE = Style()

NAMES = BART.but(
    {
        **{key: f"led.{name.removeprefix('model.')}" for key, name in BART.checkpoint.items() if name.startswith("model.")},
        **{
            f"longformer_attention.{part}": f"self_attn.longformer_self_attn.{part}"
            for part in ("query", "key", "value", "query_global", "key_global", "value_global")
        },
        "longformer_attention.output": "self_attn.output",
    },
    base_prefix="led.",
)


def architecture(c: Settings) -> Architecture:
    """Post-norm, learned positions of a length of their own in each stack, a norm after the tables."""
    kind = head_kind(c, "seq2seq")
    hidden, rows, tied = c.int("hidden_size"), c.int("vocab_size"), c.flag("tie_word_embeddings")
    stacks = [
        side.model_copy(
            update={"embedding": Embedding(rows=rows, position=table(c, STYLE, f"max_{side.stream}_position_embeddings"), tied=tied)}
        )
        for side in (encoder(c, hidden), stack(c, "decoder", hidden, STYLE))
    ]
    projections = [logits_bias(rows)] if kind == "seq2seq" else []
    a = whole(c, stacks, Embedding(rows=rows, streams=["encoder", "decoder"]), word_head(c, kind, rows, tied, STYLE), projections)
    return a.model_copy(update={"maximum_positions": maximum_positions(c, "max_encoder_position_embeddings")})


def encoder(c: Settings, hidden: int) -> Stack:
    """Layers of equal windows are one block; the source is padded to a multiple of the widest."""
    plain = stack(c, "encoder", hidden, STYLE)
    heads = c.int("encoder_attention_heads")
    width = quotient(c, hidden, heads)
    blocks = []
    held = windows(c, plain.depth)
    for window, layers in held.items():
        own = LongformerAttention(
            query_heads=heads,
            kv_heads=heads,
            head_dim=width,
            biases=QKVO,
            mask=Mask(kind="local", window=window // 2),
            dropout=c.number("attention_dropout") or 0.0,
        )
        steps = [step("attention", own, STYLE), step("feed_forward", feed_forward(c, "encoder"), STYLE)]
        blocks.append(Block(name=f"window_{window}", layers=layers, sublayers=steps))
    return plain.model_copy(update={"blocks": blocks, "padding": Padding(multiple=max(held, default=1))})


def windows(c: Settings, layers: int) -> dict[int, LayerSet]:
    """Window in tokens (both sides) -> its layers. Raises Refused XF321 for an odd or empty window, XF114 for a list of another length."""
    given = c.raw("attention_window")
    if not isinstance(given, list):
        given = [c.int("attention_window")] * min(layers, 1)
        held = {window: LayerSet.first(layers) for window in given}
    else:
        if len(given) != layers:
            raise c.refuse(
                "attention_window", f"attention_window has {len(given)} entries for {layers} layers", code="XF114", help="one entry a layer"
            )
        held = {window: LayerSet.of(i for i, w in enumerate(given[:layers]) if w == window) for window in given[:layers]}
    for window in held:
        if not isinstance(window, int) or isinstance(window, bool) or window < 2 or window % 2:
            raise c.refuse("attention_window", f"attention_window holds {window!r}", code="XF321", help="even numbers of tokens")
    return held


def ledger(a: Architecture) -> list[Row]:
    """The rows of a LED checkpoint."""
    return bart_rows(a, NAMES)
