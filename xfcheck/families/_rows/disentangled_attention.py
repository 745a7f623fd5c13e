"""Rows of disentangled attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.disentangled_attention import DisentangledAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: DisentangledAttention, at: Place) -> Iterator[Row]:
    """Those of softmax attention, and the maps of relative positions, which multiply the table's rows and no token.

    A packed map has no bias of its own: query and value have vectors that are added to it.
    """
    packed = spec.packing == "qkv"
    plain = spec.model_copy(update={"biases": [b for b in spec.biases if b == "output"]}) if packed else spec
    yield from attention_rows(plain, at)
    wide, read = spec.query_heads * spec.head_dim, at.hidden if spec.input_size is None else spec.input_size
    if packed:
        for part in ("query", "value"):
            if part in spec.biases:
                yield at.row(f"{part}_bias", (wide,))
    if not spec.shared_maps:
        if "c2p" in spec.terms:
            yield from at.matrix("position_key", wide, read, bias=spec.position_key_bias, stream="absent")
        if "p2c" in spec.terms:
            yield from at.matrix("position_query", wide, read, bias=True, stream="absent")
    if spec.talking_heads:
        for part in ("logits", "weights"):
            yield from at.matrix(f"heads_{part}", spec.query_heads, spec.query_heads, stream="absent")
