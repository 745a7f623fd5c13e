"""Rows of Kimi delta attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .convolution import depthwise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.kimi_delta import KimiDelta
    from ...ledger import Row
    from .place import Place


def rows(spec: KimiDelta, at: Place) -> Iterator[Row]:
    """Query, key, value and their convolution, both gates, learning rate, decay and step bias, the norm of a head, the output."""
    inner, heads, rank = spec.inner_size, spec.heads, spec.gate_rank
    for part in ("query", "key", "value"):
        yield from at.matrix(part, inner, at.hidden)
    yield from depthwise(at, 3 * inner, spec.kernel, thirds=spec.split_convolution)
    for part in ("forget", "gate"):
        if rank is None:
            yield from at.matrix(part, inner, at.hidden)
        else:
            yield from at.matrix(f"{part}_a", rank, at.hidden)
            yield from at.matrix(f"{part}_b", inner, rank)
    yield from at.matrix("beta", heads, at.hidden)
    yield from at.vector("dt_bias", inner, component="ssm")
    yield from at.vector("decay", *((1, 1, heads, 1) if spec.decay_axes == 4 else (heads,)), component="ssm")
    yield from at.norm("gated_norm", spec.gated_norm, spec.head_dim)
    yield from at.matrix("out", at.hidden, inner)
