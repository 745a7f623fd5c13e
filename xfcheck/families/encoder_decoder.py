"""An encoder and a decoder of any two types under one roof (Rothe et al. 2019, arXiv 1907.12461)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.model import Architecture, Member
from ._read.decoder import dtype
from ._read.members import attending, inner, read, streamed
from ._rows.members import member_rows
from ._rows.model import projection_rows
from ._rows.names import Names
from ._rows.place import Place

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("encoder-decoder",)

NAMES = Names({"bridge": "enc_to_dec_proj"})


def architecture(c: Settings) -> Architecture:
    """The base class of the encoder's type and the causal class of the decoder's; a map between them where their widths differ.

    The map is applied to the source in every pass (modeling_encoder_decoder.py, 5.24).
    """
    first, encoder_type = inner(c, "encoder", "bert", "base")
    second, decoder_type = inner(c, "decoder", "bert", "causal")
    encoder, decoder = read(first, encoder_type), attending(read(second, decoder_type))
    members = [
        Member(model_type=encoder_type, checkpoint={"": "encoder."}, architecture=encoder, streams={"text": "encoder", "pooled": "once"}),
        Member(model_type=decoder_type, checkpoint={"": "decoder."}, architecture=decoder),
    ]
    wide, narrow = encoder.main.hidden_size, decoder.main.hidden_size
    bridge = []
    if wide != narrow and second.data.get("cross_attention_hidden_size") is None:
        bridge.append(Projection(name="bridge", shape=[narrow, wide], bias=True, stream="memory", component="projector"))
    return Architecture(
        embedding=decoder.embedding,
        stacks=[stack for member in members for stack in streamed(member)],
        head=decoder.head,
        maximum_positions=decoder.maximum_positions,
        dtype=dtype(c) or decoder.dtype,
        projections=bridge,
        quantization=c.mapping("quantization_config"),
        members=members,
    )


def ledger(a: Architecture) -> list[Row]:
    """The members' rows, and the map between them."""
    at = Place(NAMES, "memory", "memory", None, a.main.hidden_size)
    return [*member_rows(a), *(row for projection in a.projections for row in projection_rows(projection, at))]
