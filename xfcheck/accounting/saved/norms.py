"""Norms: RMS with its input and statistics in 32 bits, as the Llama class computes it; LayerNorm as torch's kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.norm import Norm
    from .tape import Tape, Value

WIDE = 4


def norm(tape: Tape, spec: Norm | None, x: Value, vectors: int = 1, *, size: int | None = None, of: int | None = None) -> Value:
    """Through a norm of `vectors` vectors a token (a head each), of which each has its own statistics.

    RMS: the input in 32 bits, one over its root, the normalised value where a weight multiplies it. `size`: numbers of the weight, which
    are kept once more where the norm adds one to them. LayerNorm: its input and two numbers a vector. `of`: elements a token of the slice
    that is normalised, where `x` holds more.
    """
    if spec is None:
        return x
    if spec.kind == "layer":
        tape.keep(x, tape.make(2 * vectors))
        if spec.unit_offset:
            tape.keep(tape.whole(spec.size or size or 0))
        return tape.like(x) if of is None else tape.make(of)
    if spec.groups and spec.kind == "group":
        vectors *= spec.groups
    part = x if of is None else tape.make(of)
    tape.keep(x if x.width == WIDE else tape.like(part, WIDE), tape.make(vectors, WIDE))
    if spec.kind == "l2":
        return tape.like(part)
    normal = tape.like(part, WIDE if spec.unit_offset else tape.width)
    if not spec.weight and spec.heads is None:
        return normal
    if spec.unit_offset:
        tape.keep(tape.whole(spec.size or size or 0, WIDE))
    tape.keep(normal)
    return tape.like(part, tape.width)


def head_norm(tape: Tape, spec: Norm | None, x: Value, heads: int, head_dim: int) -> Value:
    """A norm of queries, keys or values: a head at a time, or over all heads together where its width is theirs."""
    together = spec is not None and spec.size is not None and spec.size != head_dim and spec.heads is None
    return norm(tape, spec, x, 1 if together else heads, size=head_dim, of=heads * head_dim)
