"""How the model knows positions, and how far each mechanism reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...readers.rope import reached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope

LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len", "max_target_positions", "seq_length", "n_ctx", "max_source_positions")


class Reach(NamedTuple):
    """The tokens that fit, and why: a `learned` table of `rows` (of which the first are lost), or `rotary` positions.

    `scaling` is the type of the rotary scaling, null without one; `at` points at the key that says the length.
    """

    tokens: int
    kind: str
    at: str
    rows: int
    scaling: str | None
    declared: int | None


def tables(context: Context) -> Iterator[Any]:
    """The position table of the model, and those that single stacks have for themselves."""
    if context.model is None:
        return
    architecture = context.model.architecture
    for embedding in (architecture.embedding, *(stack.embedding for stack in context.stacks)):
        if embedding is not None and embedding.position is not None:
            yield embedding.position


def mechanisms(context: Context) -> set[str]:
    """Kinds of mechanisms in the model: learned, sinusoidal, rotary, alibi, relative_bias."""
    found = [getattr(mixer, "position", None) for mixer in context.mixers]
    return {position.kind for position in (*tables(context), *found) if position is not None}


def reach(context: Context) -> Reach | None:
    """How far the language model reaches; null where nothing bounds it or no model can be built."""
    scope = next((s for s in context.scopes if context.of_model(s)), None)
    if scope is None or context.model is None:
        return None
    declared = context.model.architecture.maximum_positions
    learned = [t for t in tables(context) if t.kind == "learned"]
    if learned:
        table = min(learned, key=lambda t: t.rows - t.offset)
        return Reach(table.rows - table.offset, "learned", where(scope, table.rows, table.rows - table.offset), table.rows, None, declared)
    turned = [p for m in context.mixers if (p := getattr(m, "position", None)) is not None and p.kind == "rotary"]
    if not turned or declared is None:
        return None
    scaling = next((p.scaling for p in turned if p.scaling is not None), None)
    tokens = declared if scaling is None else reached(scaling.kind, scaling.factor, scaling.original_length, declared)
    return Reach(tokens, "rotary", where(scope, declared), declared, None if scaling is None else scaling.kind, declared)


def where(scope: Scope, *values: int) -> str:
    """The key that says the length."""
    for key in LENGTHS:
        if scope.whole(key) in values:
            return scope.at(key)
    return scope.at(LENGTHS[0])
