"""Rows of a mixture of attention heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.expert_attention import ExpertAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: ExpertAttention, at: Place) -> Iterator[Row]:
    """Router, stacked query and output projections (k of E serve a token), their bias, and the one matrix of keys and values."""
    wide = at.hidden if spec.input_size is None else spec.input_size
    inner = spec.kv_heads * spec.head_dim
    yield from at.at(at.slot, "router").matrix("router", spec.experts, wide, bias=spec.router.bias)
    chosen = at.at(at.slot, at.component, active=(spec.experts_per_token, spec.experts))
    yield chosen.row("query", (spec.experts, inner, wide), multiplies=True)
    yield chosen.row("output", (spec.experts, wide, inner), multiplies=True)
    if spec.shared_bias:
        yield at.row("shared_bias", (wide,))
    yield from at.matrix("key_value", inner + spec.kv_heads * spec.values, wide, bias="key" in spec.biases)
