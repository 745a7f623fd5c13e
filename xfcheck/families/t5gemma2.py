"""T5Gemma 2 (Zhang et al. 2025, arXiv 2512.14856): Gemma 3's layers, an encoder that sees images, merged attention in the decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.mixers.merged_attention import MergedAttention
from ..architecture.vocabulary import Embedding, Head
from ._classes import class_table
from ._read.decoder import rms
from ._read.encoder_decoder import whole
from ._read.gemma_stacks import gemma_stack, own_attention
from ._read.head import head_kind, labels
from ._read.siglip_tower import siglip_names, siglip_tower
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.masks import Mask
    from ..architecture.mixers.attention import Attention
    from ..architecture.model import Architecture
    from ..architecture.part import Part
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("t5gemma2",)

ENCODER = {"embedding": "embed_tokens", "end_of_image": "embed_tokens.eoi_embedding!", "layer": "layers.{layer}.", "final_norm": "norm"}

NAMES = Names(
    {
        **siglip_names("model.encoder.vision_tower."),
        **{f"encoder:{key}": f"model.encoder.{name}" for key, name in ENCODER.items()},
        **{f"decoder:{key}": f"model.decoder.{name}" for key, name in ENCODER.items()},
        "decoder:stack_embedding": "model.decoder.embed_tokens",
        **{
            f"{slot}.{part}": f"self_attn.{name}"
            for slot in ("attention", "merged_attention")
            for part, name in (
                ("query", "q_proj"),
                ("key", "k_proj"),
                ("value", "v_proj"),
                ("output", "o_proj"),
                ("query_norm", "q_norm"),
                ("key_norm", "k_norm"),
            )
        },
        **{
            f"{slot}.{part}": f"{when}_{place}_layernorm"
            for slot, place in (("attention", "self_attn"), ("feed_forward", "feedforward"))
            for part, when in (("norm", "pre"), ("norm_after", "post"))
        },
        "mlp.gate": "mlp.gate_proj",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
        "image_projection": "model.encoder.multi_modal_projector.mm_input_projection_weight!",
        "image_norm": "model.encoder.multi_modal_projector.mm_soft_emb_norm",
        "head": "lm_head.out_proj",
        "classifier": "score.out_proj",
    },
    {f"encoder:{key}": f"model.encoder.text_model.{name}" for key, name in ENCODER.items()},
    base_prefix="model.",
)


def architecture(c: Settings) -> Architecture:
    """The encoder's table is the decoder's and the head's too where tied; the tower does no work without images."""
    kind = head_kind(c, "seq2seq")
    outer, second = c.nested("encoder", class_table("t5gemma2_encoder")), c.nested("decoder", class_table("t5gemma2_decoder"))
    first = outer.nested("text_config", class_table("t5gemma2_text"))
    vision = outer.nested("vision_config", class_table("siglip_vision_model"))
    if vision.data.get("model_type", "siglip_vision_model") != "siglip_vision_model":
        raise vision.refuse("model_type", f"the tower is a {vision.data['model_type']!r}, which is not described", code="XF101")

    def encoding(seen: Mask, position: Part | None) -> Attention:
        norm = rms(first, unit_offset=True)
        return own_attention(first, seen, position, head_norm=norm.model_copy(update={"size": first.int("head_dim")}))

    def decoding(seen: Mask, position: Part | None) -> Attention:
        norm = rms(second, unit_offset=True)
        own = own_attention(second, seen, position, head_norm=norm.model_copy(update={"size": second.int("head_dim")}))
        return MergedAttention(**{name: getattr(own, name) for name in type(own).model_fields if name != "kind"})

    tied, rows = c.flag("tie_word_embeddings"), first.int("vocab_size")
    encoder = gemma_stack(first, "encoder", encoding, period=first.optional_int("sliding_window_pattern", minimum=1) or 6)
    decoder = gemma_stack(second, "decoder", decoding, period=second.optional_int("sliding_window_pattern", minimum=1) or 6)
    tower = siglip_tower(vision)
    end = Projection(name="end_of_image", shape=[encoder.hidden_size], multiplies=False, component="token_embedding")
    table = Embedding(rows=second.int("vocab_size"), multiplier=decoder.hidden_size**0.5, tied=tied)
    stacks = [
        encoder.model_copy(update={"projections": [end]}),
        decoder.model_copy(update={"projections": [end.model_copy(update={"tied": tied})], "embedding": table}),
        tower,
    ]
    head = Head(kind="none", stream="decoder")
    if kind == "seq2seq":
        head = Head(kind=kind, rows=second.int("vocab_size"), tied=tied, softcap=second.number("final_logit_softcapping"), stream="decoder")
    elif kind != "none":
        head = Head(kind=kind, labels=labels(c), bias=True, stream="decoder")
    table = Embedding(rows=rows, multiplier=encoder.hidden_size**0.5, streams=["encoder", "decoder"])
    a = whole(c, stacks, table, head, projector(tower, encoder))
    return a.model_copy(update={"maximum_positions": second.optional_int("max_position_embeddings", minimum=1)})


def projector(tower: Stack, encoder: Stack) -> list[Projection]:
    """A norm and a map from the tower's width to the encoder's, stored [in, out]."""
    return [
        Projection(name="image_projection", shape=[tower.hidden_size, encoder.hidden_size], stream="image", component="projector"),
        Projection(name="image_norm", shape=[tower.hidden_size], multiplies=False, component="projector"),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a T5Gemma 2 checkpoint; the decoder's end-of-image vector is the encoder's where the tables are tied."""
    rows = model(a, NAMES)
    tied = any(stack.embedding is not None and stack.embedding.tied for stack in a.stacks)
    ends = [row for row in rows if row.role.part == "end_of_image"]
    return [row._replace(tied_to=ends[0].name) if tied and row is ends[-1] else row for row in rows]
