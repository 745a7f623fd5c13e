"""Rows of a feed-forward network."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.mlp import MLP
    from ...ledger import Row
    from .place import Place


def rows(spec: MLP, at: Place, prefix: str = "") -> Iterator[Row]:
    """Gate, up and down with their biases; `prefix` is `expert.` or `shared.` inside a mixture."""
    wide = at.hidden if spec.input_size is None else spec.input_size
    inner = spec.intermediate_size
    if spec.gated and spec.packing == "gate_up":
        yield from at.matrix(f"{prefix}gate_up", 2 * inner, wide, bias=spec.bias)
    else:
        if spec.gated:
            yield from at.matrix(f"{prefix}gate", inner, wide, bias=spec.bias)
        yield from at.matrix(f"{prefix}up", inner, wide, bias=spec.bias)
    yield from at.matrix(f"{prefix}down", at.hidden if spec.output_size is None else spec.output_size, inner, bias=spec.output_bias)
    yield from at.norm(f"{prefix}inner_norm", spec.inner_norm, inner)
