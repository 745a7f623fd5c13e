"""The walk over a whole architecture: embeddings, stacks, head."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ...ledger import Row, merge, role
from .place import Place
from .shared import numbered, storing, tied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...architecture.blocks import Block, Projection, Stack, Sublayer
    from ...architecture.model import Architecture
    from ...architecture.part import Mixer
    from ...architecture.vocabulary import Embedding
    from ...ledger import Kind
    from .names import Names

WORDS = ("causal", "masked", "seq2seq", "pretraining")
"""Heads that score the vocabulary."""

KINDS: dict[str, Kind] = {"buffer": "buffer", "unsaved_parameter": "unsaved"}
"""How a sinusoidal table is kept, where it is no parameter like any other."""

MODULES = {"cross_attention": "attention"}
"""Kinds whose rows another kind's module yields; every other kind has a module of its own name."""


def model(a: Architecture, names: Names) -> list[Row]:
    """All rows of a checkpoint of this architecture under a family's names, alike ones merged."""
    rows = merge(
        [
            *embedding(a, names),
            *stack_tables(a, names),
            *(row for stack in a.stacks for row in stack_rows(stack, names)),
            *_projections(a, names),
            *head(a, names),
            *drafted(a, names),
        ]
    )
    if a.head.kind == "none":
        return bare(rows, names.base_prefix, module_prefix=names.module_prefix)
    return rows if a.head.prefix is None else bare(rows, names.base_prefix, f"{a.head.prefix}.")


def bare(rows: Iterable[Row], prefix: str, instead: str = "", *, module_prefix: str | None = None) -> list[Row]:
    """The rows as the bare model saves them: without the base prefix, or under another one.

    `module_prefix` is the prefix in transformers' modules, where it is another.
    """
    inner = prefix if module_prefix is None else module_prefix

    def moved(name: str | None, prefix: str = prefix) -> str | None:
        return instead + name.removeprefix(prefix) if name is not None and name.startswith(prefix) else name

    def each(row: Row) -> Row:
        split = tuple(moved(part, inner) or part for part in row.split)
        return row._replace(name=moved(row.name) or row.name, module=moved(row.module, inner), tied_to=moved(row.tied_to), split=split)

    return [each(row) for row in rows]


def embedding(a: Architecture, names: Names) -> Iterator[Row]:
    """Token, position and type tables, and the map from a narrower table."""
    e = a.embedding
    if e is None:
        return
    main = a.main
    width = main.hidden_size if e.width is None else e.width
    at = Place(names, e.streams[0], e.streams[0], None, main.hidden_size, component="token_embedding")
    yield from at.vector("embedding", e.rows, width)
    yield from beside(e, at, width)


def beside(e: Embedding, at: Place, width: int) -> Iterator[Row]:
    """What stands with a token table: positions, types, the map from a narrower table."""
    yield from position_table(e.position, at, width)
    if e.types:
        yield from at.vector("types", e.types, width)
    if e.projection:
        yield from at._replace(component="other").matrix("embedding_projection", at.hidden, width, bias=e.projection_bias)


def stack_tables(a: Architecture, names: Names) -> Iterator[Row]:
    """The tables that single stacks have, named `stack_embedding`; a tied one is the model's table."""
    for stack in a.stacks:
        e = stack.embedding
        if e is None:
            continue
        width = stack.hidden_size if e.width is None else e.width
        at = Place(names, stack.stream, stack.stream, None, stack.hidden_size, component="token_embedding")
        if e.rows:
            table = at.row("stack_embedding", (e.rows, width))
            shared = None if a.embedding is None or not e.tied else names.find("embedding", a.embedding.streams[0]) + ".weight"
            yield table._replace(tied_to=shared)
        yield from (bucketed(row, stack) for row in beside(e, at, width))


def position_table(position: object, at: Place, width: int) -> Iterator[Row]:
    """The rows of a learned table, or of a sinusoidal one that is kept as a tensor."""
    kind = getattr(position, "kind", None)
    stored = getattr(position, "stored", "parameter")
    if kind == "learned" or (kind == "sinusoidal" and stored != "none"):
        columns = position.width or width  # type: ignore[attr-defined]
        yield from at.vector("positions", position.rows, columns, component="position_embedding", kind=KINDS.get(stored, "parameter"))  # type: ignore[attr-defined]


def stack_rows(stack: Stack, names: Names) -> Iterator[Row]:
    """Norm after the embedding, the blocks, the final norm and whatever else a stack owns; a tower's are all of one bucket."""
    for row in _stack_rows(stack, names):
        yield bucketed(row, stack)


def bucketed(row: Row, stack: Stack) -> Row:
    """The row in its stack's bucket, where the stack has one."""
    return row if stack.component is None else row._replace(role=role(stack.component, row.role.part, row.role.multiplies))


def _stack_rows(stack: Stack, names: Names) -> Iterator[Row]:
    at = Place(names, stack.name or stack.stream, stack.stream, None, stack.hidden_size)
    yield from at.norm("embedding_norm", stack.embedding_norm, stack.hidden_size)
    for block in stack.blocks:
        yield from block_rows(block, stack, names)
    yield from at.norm("final_norm", stack.final_norm, stack.hidden_size)
    yield from (row for projection in stack.projections for row in projection_rows(projection, at))


def block_rows(block: Block, stack: Stack, names: Names) -> Iterator[Row]:
    """The rows of one kind of block."""
    if not len(block.layers):
        return
    at = Place(names, stack.name or stack.stream, block.stream or stack.stream, block.layers, stack.hidden_size, uses=block.uses)
    for sublayer in block.sublayers:
        yield from tied(sublayer_rows(sublayer, storing(at)), at) if sublayer.shared else sublayer_rows(sublayer, at)
    for projection in block.projections:
        yield from projection_rows(projection, at)


def sublayer_rows(sublayer: Sublayer, at: Place) -> Iterator[Row]:
    """Norms, mixers and projections of one residual step."""
    around = at.at(sublayer.name, "norm")
    yield from around.norm("norm", sublayer.norm, at.hidden)
    for mixer in sublayer.mixers:
        yield from rows_of(mixer.kind)(mixer, at.at(mixer.slot, mixer.component))
        if mixer.slot in sublayer.mixer_norms:
            yield from at.at(mixer.slot, "norm").norm("norm", sublayer.mixer_norms[mixer.slot], at.hidden)
    yield from around.norm("norm_after", sublayer.norm_after, at.hidden)
    yield from around.norm("norm_residual", sublayer.norm_residual, at.hidden)
    if sublayer.layer_scale:
        yield from around.at(sublayer.name, "other").vector("scale", at.hidden)
    for projection in sublayer.projections:
        yield from projection_rows(projection, at.at(sublayer.name, "other"))


def rows_of(kind: str) -> Callable[[Mixer, Place], Iterator[Row]]:
    """The rows function of a kind of mixer, its module imported on first use."""
    found: Callable[[Mixer, Place], Iterator[Row]] = import_module(f"{__package__}.{MODULES.get(kind, kind)}").rows
    return found


def projection_rows(projection: Projection, at: Place) -> Iterator[Row]:
    """A named weight that is no mixer and no norm."""
    at = at.at(at.slot, projection.component, stream=projection.stream)._replace(uses=at.uses * projection.uses)
    row = at.row(
        projection.name,
        tuple(projection.shape),
        multiplies=projection.multiplies,
        kind="buffer" if projection.buffer else "parameter",
        dtype=projection.dtype,
    )
    row = row if projection.kept is None else row._replace(kept=projection.kept)
    yield row if projection.numbers is None else numbered(row, projection, at)
    if projection.bias:
        bias = at.row(projection.name, (projection.shape[0],), ending=".bias", suffix="_bias")
        yield bias if projection.numbers is None else numbered(bias, projection, at)


def drafted(a: Architecture, names: Names) -> Iterator[Row]:
    """The rows of draft layers, none where the architecture has none."""
    if a.draft is not None:
        from .draft import rows

        yield from rows(a.draft, a, names)


def _projections(a: Architecture, names: Names) -> Iterator[Row]:
    at = Place(names, a.main.stream, a.main.stream, None, a.main.hidden_size)
    yield from (row for projection in a.projections for row in projection_rows(projection, at))


def head(a: Architecture, names: Names) -> Iterator[Row]:
    """The matrix to the scores, tied to the embedding or not, with what stands before it."""
    h = a.head
    e = a.embedding
    width = h.width or (a.main.hidden_size if e is None or e.width is None else e.width)
    at = Place(names, h.kind, h.stream, None, a.main.hidden_size, component="head")
    if h.pooler:
        yield from at._replace(stream="pooled").matrix("pooler", a.main.hidden_size, a.main.hidden_size, bias=True)
    if h.transform:
        yield from at.matrix("transform", width, a.main.hidden_size, bias=h.transform_bias)
        yield from (row._replace(role=role("head", row.role.part)) for row in at.norm("transform_norm", h.transform_norm, width))
    if h.kind in WORDS:
        yield from output(a, at, width)
    if h.labels:
        words = h.kind in ("token_classification", "question_answering") or (h.kind == "sequence_classification" and not h.pooler)
        words = words if h.per_sequence is None else not h.per_sequence
        part = "next_sentence" if h.kind in ("pretraining", "next_sentence") else "classifier"
        yield from at._replace(stream=h.stream if words else "pooled").matrix(part, h.labels, a.main.hidden_size, bias=h.bias)


def output(a: Architecture, at: Place, width: int) -> Iterator[Row]:
    """The vocabulary matrix, a tensor of its own or the embedding's, and its bias, which a family may keep apart (`head_bias`)."""
    h, e = a.head, a.embedding
    apart = "head_bias" in at.names.checkpoint
    weight = at.row("head", (h.rows, width), multiplies=True)._replace(padding=h.padding)
    if h.tied and e is not None:
        weight = weight._replace(tied_to=at.names.find("embedding", e.streams[0]) + ".weight")
    yield weight
    if h.bias and not (apart and h.tied):
        yield at.row("head", (h.rows,), ending=".bias", suffix="_bias")
    if h.bias and apart:
        yield at.row("head_bias", (h.rows,), ending=".bias")
