"""Rows of hashed n-gram vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.layers import LayerSet
from .convolution import depthwise
from .shared import first_layer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.ngram_embedding import NgramEmbedding
    from ...ledger import Row
    from .place import Place


def rows(spec: NgramEmbedding, at: Place) -> Iterator[Row]:
    """The table in its shards, its buffers, both projections, three norms and the convolution."""
    wide = spec.streams * spec.hidden
    yield from table(spec, at)
    for part, size in (("multipliers", spec.order), ("head_sizes", spec.heads), ("head_offsets", spec.heads)):
        yield from at.vector(part, size, kind="buffer", dtype="int64")
    yield from at.matrix("key", wide, spec.width)
    yield from at.matrix("value", spec.hidden, spec.width)
    for part in ("key_norm", "query_norm", "conv_norm"):
        yield from at.norm(part, spec.norm, wide)
    yield from depthwise(at, wide, spec.kernel)


def table(spec: NgramEmbedding, at: Place) -> Iterator[Row]:
    """The table cut along its rows as torch.chunk does: the last shard is the smaller where they do not divide.

    The layer is fixed in the name, whose placeholder stands for the shard.
    """
    columns, each = spec.width // spec.heads, -(-spec.rows // spec.shards)
    whole, rest = divmod(spec.rows, each)
    for numbers, size in ((LayerSet.first(whole), each), (LayerSet.of([whole]), rest)):
        if size and len(numbers):
            row = at.row("table", (size, columns), component="token_embedding")
            name, module = (text.replace("{layer}", str(first_layer(at))) for text in (row.name, row.module or row.name))
            yield row._replace(name=name.replace("{number}", "{layer}"), layers=numbers, module=module)
