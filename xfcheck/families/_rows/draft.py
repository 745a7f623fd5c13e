"""Rows of draft layers (multi-token prediction): kind `not_loaded`, in published checkpoints and built by nobody here.

A family that knows them gives its `Architecture` a `Draft` and names the parts: `draft.projection`, `draft.embedding_norm`,
`draft.hidden_norm`, `draft.head_norm`, `draft.embedding` and `draft.head`. The block's tensors take the family's own names under the
prefix `draft:layer` (default: `layer`), the maps around it those under `draft_maps:layer` where they are stored once a layer; a key
`draft:attention.norm` renames a part there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ledger import role
from .place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.draft import Draft
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .names import Names

STACK, MAPS = "draft", "draft_maps"


def rows(draft: Draft, a: Architecture, names: Names) -> Iterator[Row]:
    """Every tensor of the draft layers, its buffers too, as `not_loaded`."""
    from .model import sublayer_rows

    hidden = a.main.hidden_size
    at = Place(names, STACK, a.main.stream, draft.block.layers, hidden)
    found = [row for sublayer in draft.block.sublayers for row in sublayer_rows(sublayer, at)]
    around = Place(names, MAPS, a.main.stream, draft.block.layers if draft.per_layer else None, hidden, slot="draft")
    found += around.matrix("projection", hidden, 2 * hidden, bias=draft.bias)
    found += [*around.norm("embedding_norm", draft.norm, hidden), *around.norm("hidden_norm", draft.norm, hidden)]
    found += around.norm("head_norm", draft.head_norm, hidden)
    if "embedding" in draft.copies and a.embedding is not None:
        found += around.vector("embedding", a.embedding.rows, hidden, component="token_embedding")
    if "head" in draft.copies and a.embedding is not None:
        found += (row._replace(role=role("head", "draft_head", multiplies=True)) for row in around.matrix("head", a.embedding.rows, hidden))
    yield from (row._replace(kind="not_loaded", module=None, tied_to=None) for row in found)
