"""ProphetNet (Qi et al. 2020, arXiv 2001.04063): a decoder that predicts several tokens at once, each in a stream of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Padding, Projection
from ..architecture.masks import CAUSAL
from ..architecture.mixers.ngram_attention import NgramAttention
from ..architecture.vocabulary import Embedding
from ..ledger import role
from ._read.decoder import QKVO, quotient
from ._read.encoder_decoder import Style, stack, step, table, whole, word_head
from ._read.head import head_kind
from ._rows.bart_names import BART
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Block, Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("prophetnet",)

STYLE = Style(prefix="num_")

HEAD = role("head", "head", multiplies=True)

MAPS = {"query": "query_proj", "key": "key_proj", "value": "value_proj", "output": "out_proj"}

NAMES = BART.but(
    {
        "embedding": "prophetnet.word_embeddings",
        **{
            f"{stream}:{key}": f"prophetnet.{stream}.{name}"
            for stream in ("encoder", "decoder")
            for key, name in (
                ("stack_embedding", "word_embeddings"),
                ("positions", "position_embeddings"),
                ("embedding_norm", "embeddings_layer_norm"),
                ("layer", "layers.{layer}."),
            )
        },
        "ngram_embedding": "prophetnet.decoder.ngram_embeddings",
        **{f"{kind}.{part}": f"self_attn.{name}" for kind in ("attention", "ngram_attention") for part, name in MAPS.items()},
        **{f"cross_attention.{part}": f"cross_attn.{name}" for part, name in MAPS.items()},
        "ngram_attention.relative_map": "self_attn.relative_pos_embeddings",
        "cross_attention.norm_residual": "cross_attn_layer_norm",
        "feed_forward.norm_residual": "feed_forward_layer_norm",
        "mlp.up": "feed_forward.intermediate",
        "mlp.down": "feed_forward.output",
    },
    base_prefix="prophetnet.",
)


def architecture(c: Settings) -> Architecture:
    """Post-norm, learned positions, a norm after the tables; the scores are made of the predicting streams alone."""
    kind = head_kind(c, "seq2seq")
    hidden, rows, tied = c.int("hidden_size"), c.int("vocab_size"), c.flag("tie_word_embeddings")
    own = Embedding(rows=rows, position=table(c, STYLE), tied=tied)
    sides = [decoder(c, hidden, memory=kind != "causal")]
    if kind != "causal":
        sides.insert(0, stack(c, "encoder", hidden, STYLE))
    stacks = [side.model_copy(update={"embedding": own}) for side in sides]
    head = word_head(c, kind, rows, tied, STYLE).model_copy(update={"stream": "text"})
    return whole(c, stacks, Embedding(rows=rows, streams=[side.stream for side in sides]), head)


def decoder(c: Settings, hidden: int, *, memory: bool) -> Stack:
    """One vector a token and as many more as tokens are predicted; each predicting stream begins with a vector of its own."""
    plain = stack(c, "decoder", hidden, STYLE, memory=memory)
    heads, ngram = c.int("num_decoder_attention_heads"), c.int("ngram")
    own = NgramAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, hidden, heads),
        biases=QKVO,
        mask=CAUSAL,
        dropout=c.number("attention_dropout") or 0.0,
        ngram=ngram,
        buckets=c.int("num_buckets"),
    )
    left = 1 if c.flag("add_cross_attention") else 2
    blocks = []
    for block in plain.blocks:
        steps = [step("attention", keeping(own, block), STYLE), *block.sublayers[left:]]
        blocks.append(block.model_copy(update={"sublayers": steps}))
    tables = [Projection(name="ngram_embedding", shape=[ngram, hidden], multiplies=False)]
    return plain.model_copy(update={"blocks": blocks, "padding": Padding(copies=1 + ngram), "projections": tables})


def keeping(own: NgramAttention, block: Block) -> NgramAttention:
    """The attention with what the plain one of a block keeps."""
    return own.model_copy(update={"kept_tokens": getattr(block.sublayers[0].mixers[0], "kept_tokens", None)})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a ProphetNet checkpoint; the head meets every predicting stream."""
    padding = a.stacks[-1].padding
    streams = 1 if padding is None else padding.copies - 1
    return [row._replace(uses=streams) if row.role == HEAD else row for row in model(a, NAMES)]
