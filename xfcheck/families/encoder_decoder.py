"""An encoder and a decoder of any two types under one roof (Rothe et al. 2019, arXiv 1907.12461)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.model import Architecture, Member
from ._read.decoder import dtype
from ._read.members import attending, inner, read, streamed
from ._read.towers import tower
from ._rows.members import member_rows
from ._rows.model import projection_rows
from ._rows.names import Names
from ._rows.place import Place

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("encoder-decoder", "vision-encoder-decoder")

NAMES = Names({"bridge": "enc_to_dec_proj"})


def architecture(c: Settings) -> Architecture:
    """The base class of the encoder's type and the causal class of the decoder's; a map between them where their widths differ.

    The map is applied to the source in every pass (modeling_encoder_decoder.py, 5.24). An encoder of images reads one of its own size.
    """
    seeing = c.table is not None and c.table.model_type == "vision-encoder-decoder"
    if seeing:
        part = tower(c, "encoder")
        encoder_type, encoder = part.model_type, part.architecture
        c.assume("encoder", None, "one image of the encoder's own size a sequence")
    else:
        first, encoder_type = inner(c, "encoder", "bert", "base")
        encoder = read(first, encoder_type)
    second, decoder_type = inner(c, "decoder", "bert", "causal")
    decoder = attending(read(second, decoder_type))
    streams = {"image" if seeing else "text": "encoder", "pooled": "once"}
    members = [
        Member(model_type=encoder_type, checkpoint={"": "encoder."}, architecture=encoder, streams=streams),
        Member(model_type=decoder_type, checkpoint={"": "decoder."}, architecture=decoder),
    ][0 if encoder_type else 1 :]
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
