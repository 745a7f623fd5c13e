"""A feed-forward network: gate, up, their product, down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Activation, Dims, Where


def activations(spec: Any, at: Where) -> Iterator[Activation]:
    """[B, n, d_ff], and [B, n, d] after down."""
    yield from over(spec, at, at.stream, "d_ff")


def over(spec: Any, at: Where, tokens: Dims, width: str) -> Iterator[Activation]:
    """The same over any rows of tokens."""
    inner = [*tokens, (width, spec.intermediate_size)]
    gated = spec.kind == "mlp" and spec.gated  # other kinds are ungated
    if gated:
        yield at.row("gate", inner)
    yield at.row("up", inner)
    if gated:
        yield at.row("product", inner)
    yield at.row("down", [*tokens, ("d", at.hidden if spec.output_size is None else spec.output_size)])
