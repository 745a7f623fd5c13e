"""Whether the reference can run what it builds: where it cannot, the numbers of a pass are arithmetic and held to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .walk import mixers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture

OF_A_PASS = ("active", "flops", "cache")
"""What a forward pass decides."""
TOKENS = ("text", "decoder", "encoder")


def obstacles(a: Architecture, context: int, source: int) -> Iterator[tuple[str, str]]:
    """(what, why) for everything that stops a forward pass over `context` tokens and `source` of an encoder; none: it runs.

    The model builds all the same, and its parameters are counted: query heads that are no multiple of the key-value heads, more experts a
    token than there are, more tokens than a table of learned positions has rows.
    """
    said = set()
    for placed in mixers(a):
        mixer: Any = placed.mixer
        heads, shared = getattr(mixer, "query_heads", None), getattr(mixer, "kv_heads", None)
        if isinstance(heads, int) and isinstance(shared, int) and shared and heads % shared:
            said.add(("num_key_value_heads", f"no pass runs: {heads} query heads are no multiple of {shared} key-value heads (XF104)"))
        chosen, experts = getattr(mixer, "experts_per_token", None), getattr(mixer, "experts", None)
        if isinstance(chosen, int) and isinstance(experts, int):
            there = experts + mixer.router.zero_experts
            if chosen > there:
                said.add(("num_experts_per_tok", f"no pass runs: {chosen} experts a token of {there} (XF501)"))
    for stack in a.stacks:
        rows, tokens = position_rows(a, stack), source if stack.stream == "encoder" else context
        if rows is not None and stack.stream in TOKENS and tokens > rows:
            said.add(("context", f"no pass runs: {tokens:,} tokens, and the table of positions has {rows:,} rows"))
    yield from sorted(said)


def position_rows(a: Architecture, stack: Stack) -> int | None:
    """Rows of learned positions that tokens of a stack can use, null where it has no table."""
    embedding = stack.embedding or a.embedding
    position: Any = None if embedding is None else embedding.position
    if (
        embedding is None
        or position is None
        or position.kind != "learned"
        or (stack.embedding is None and stack.stream not in embedding.streams)
    ):
        return None
    return int(position.rows - position.offset)
