"""Rows of softmax attention and of cross attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.attention import Attention
    from ...architecture.mixers.cross_attention import CrossAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: Attention, at: Place) -> Iterator[Row]:
    """Projections, head norms, sinks and gate of an attention; keys and values of cross attention multiply the tokens of its memory."""
    wide = at.hidden if spec.input_size is None else spec.input_size
    query, key, value = spec.query_heads * spec.head_dim, spec.kv_heads * spec.head_dim, spec.kv_heads * spec.values
    has = spec.biases
    memory, memory_stream = wide, at.stream
    if spec.component == "cross_attention":
        other = cast("CrossAttention", spec)
        memory = wide if other.memory_size is None else other.memory_size
        memory_stream = "cross" if other.memory == "encoder" else other.memory
        if other.memory == "absent":
            at = at.at(at.slot, at.component, stream="absent")
    doubled = 2 if spec.gate == "query" else 1
    if spec.packing == "qkv":
        for row in at.matrix("qkv", query * doubled + key + value, wide, bias="query" in has):
            yield row._replace(split_sizes=(query * doubled, key, value)) if row.split else row
    elif spec.packing == "gate_qkv":
        yield from _gate_and_qkv(spec, at, wide)
    else:
        yield from at.matrix("query", query * doubled, spec.query_input_size or wide, bias="query" in has)
        if not spec.shares_cache:
            yield from _keys_and_values(spec, at, key, value, memory, memory_stream)
    if spec.output_matrix:
        yield from at.matrix(
            "output", at.hidden if spec.output_size is None else spec.output_size, spec.query_heads * spec.values, bias="output" in has
        )
    if spec.gate in ("elementwise", "headwise") and spec.packing != "gate_qkv":
        yield from at.matrix("gate", spec.query_heads * (spec.values if spec.gate == "elementwise" else 1), wide, bias="gate" in has)
    yield from at.norm("query_norm", spec.query_norm, spec.head_dim)
    if not spec.shares_cache:
        yield from at.norm("key_norm", spec.key_norm, spec.head_dim)
        yield from at.norm("value_norm", spec.value_norm, spec.values)
    yield from at.norm("inner_norm", spec.output_norm, spec.query_heads * spec.values)
    if spec.sinks:
        yield from at.vector("sinks", spec.query_heads)
    position = spec.position
    if position is not None and getattr(position, "kind", "") == "relative_bias" and position.table:  # type: ignore[attr-defined]
        yield from at.vector("relative_bias", position.buckets, spec.query_heads, component="position_embedding")  # type: ignore[attr-defined]


def _keys_and_values(spec: Attention, at: Place, key: int, value: int, memory: int, stream: str) -> Iterator[Row]:
    if spec.packing == "key_value":
        yield from at.matrix("key_value", key + value, memory, bias="key" in spec.biases, stream=stream)
        return
    yield from at.matrix("key", key, memory, bias="key" in spec.biases, stream=stream)
    if not spec.value_is_key:
        yield from at.matrix("value", value, spec.value_input_size or memory, bias="value" in spec.biases, stream=stream)


def _gate_and_qkv(spec: Attention, at: Place, wide: int) -> Iterator[Row]:
    """Gate, query, key and value as one tensor of the checkpoint and four modules; their biases are four tensors in both."""
    query, key, value = spec.query_heads * spec.head_dim, spec.kv_heads * spec.head_dim, spec.kv_heads * spec.values
    gate = spec.query_heads * spec.values
    for part, rows_, bias in (("gate", gate, "gate"), ("query", query, "query"), ("key", key, "key"), ("value", value, "value")):
        if bias in spec.biases:
            yield at.row(part, (rows_,), ending=".bias", suffix="_bias")
    yield at.row("gate_qkv", (gate + query + key + value, wide), multiplies=True)
