"""T5Gemma (Zhang et al. 2025, arXiv 2504.06225): an encoder-decoder of Gemma 2's layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.vocabulary import Embedding, Head
from ._classes import class_table
from ._read.encoder_decoder import whole
from ._read.gemma_stacks import cross_attention, gemma_stack, own_attention
from ._read.head import CLASSIFIERS, architecture_name, head_kind, labels
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.masks import Mask
    from ..architecture.mixers.attention import Attention
    from ..architecture.model import Architecture
    from ..architecture.part import Part
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("t5gemma",)

NAMES = Names(
    {
        "encoder:stack_embedding": "model.encoder.embed_tokens",
        "decoder:embedding": "model.decoder.embed_tokens",
        "encoder:embedding": "model.encoder.embed_tokens",
        "encoder:layer": "model.encoder.layers.{layer}.",
        "decoder:layer": "model.decoder.layers.{layer}.",
        "encoder:final_norm": "model.encoder.norm",
        "decoder:final_norm": "model.decoder.norm",
        **{
            f"{slot}.{part}": f"{place}.{name}"
            for slot, place in (("attention", "self_attn"), ("cross_attention", "cross_attn"))
            for part, name in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "o_proj"))
        },
        **{
            f"{slot}.{part}": f"{when}_{place}_layernorm"
            for slot, place in (("attention", "self_attn"), ("cross_attention", "cross_attn"), ("feed_forward", "feedforward"))
            for part, when in (("norm", "pre"), ("norm_after", "post"))
        },
        "mlp.gate": "mlp.gate_proj",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
        "head": "lm_head.out_proj",
        "classifier": "score.out_proj",
    },
    base_prefix="model.",
)


def architecture(c: Settings) -> Architecture:
    """A table a stack, the head tied to the decoder's; without `is_encoder_decoder` the encoder alone, for classes that allow it."""
    kind = "none" if architecture_name(c) == "T5GemmaEncoderModel" else head_kind(c, "seq2seq")
    module = class_table("t5_gemma_module")
    first, second = c.nested("encoder", module), c.nested("decoder", module)
    alone = architecture_name(c) == "T5GemmaEncoderModel" or (kind in CLASSIFIERS and c.data.get("is_encoder_decoder") is False)

    def encoding(seen: Mask, position: Part | None) -> Attention:
        return own_attention(first, seen, position)

    def decoding(seen: Mask, position: Part | None) -> Attention:
        return own_attention(second, seen, position)

    encoder = gemma_stack(first, "encoder", encoding, period=2)
    main = first if alone else second
    rows, stream = main.int("vocab_size"), "encoder" if alone else "decoder"
    stacks = [encoder]
    if not alone:
        table = Embedding(rows=first.int("vocab_size"), multiplier=encoder.hidden_size**0.5)
        decoder = gemma_stack(second, "decoder", decoding, period=2, cross=cross_attention(second, encoder.hidden_size))
        stacks = [encoder.model_copy(update={"embedding": table}), decoder]
    embedding = Embedding(rows=rows, multiplier=stacks[-1].hidden_size ** 0.5, streams=[stream])
    head = Head(kind="none", stream=stream)
    if kind == "seq2seq":
        head = Head(
            kind=kind, rows=rows, tied=c.flag("tie_word_embeddings"), softcap=second.number("final_logit_softcapping"), stream=stream
        )
    elif kind != "none":
        head = Head(kind=kind, labels=labels(c), bias=True, stream=stream)
    a = whole(c, stacks, embedding, head)
    return a.model_copy(update={"maximum_positions": main.optional_int("max_position_embeddings", minimum=1)})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a T5Gemma checkpoint."""
    return model(a, NAMES)
