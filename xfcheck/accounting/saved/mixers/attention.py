"""Softmax attention, over the stream's own keys or another stream's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....architecture.mixers.cross_attention import CrossAttention
from ..norms import WIDE, head_norm, norm
from ..tape import Tape, UnknownError, Value

if TYPE_CHECKING:
    from ....architecture.mixers.attention import Attention


def run(tape: Tape, spec: Attention, x: Value, hidden: int, memory: Value | None = None) -> Value:
    """Queries, keys and values with their norms and rotations, the scores, the gate, the output map. Raises UnknownError."""
    if spec.passes != 1:
        raise UnknownError("attention that computes its scores more than once")
    cross = isinstance(spec, CrossAttention)
    query, key, value, gate = _projected(tape, spec, x, memory)
    keys = Tape(tape.batch, tape.source, tape.width, tiled=tape.tiled) if cross else tape
    rotary = getattr(spec.position, "kind", None) == "rotary" and not cross
    query = head_norm(tape, spec.query_norm, query, spec.query_heads, spec.head_dim)
    query = tape.make(spec.query_heads * spec.head_dim) if rotary else query
    if not spec.shares_cache:
        before = keys.bytes
        key = head_norm(keys, spec.key_norm, key, spec.kv_heads, spec.head_dim)
        value = head_norm(keys, spec.value_norm, value, spec.kv_heads, spec.values)
        key = keys.make(spec.kv_heads * spec.head_dim) if rotary else key
        if cross:
            tape.bytes += keys.bytes - before
    out = mixed(
        tape, (query, key, value), heads=spec.query_heads, repeated=spec.query_heads != spec.kv_heads, widths=(spec.head_dim, spec.values),
        keys=keys.new, softcap=spec.softcap is not None, sinks=spec.sinks,
    )  # fmt: skip
    if gate is not None:
        out = tape.times(out, tape.own(tape.make(spec.query_heads * (1 if spec.gate == "headwise" else spec.values))))
    out = norm(tape, spec.output_norm, out, size=spec.query_heads * spec.values)
    return out if not spec.output_matrix else tape.linear(out, hidden if spec.output_size is None else spec.output_size)


def _projected(tape: Tape, spec: Attention, x: Value, memory: Value | None) -> tuple[Value, Value, Value, Value | None]:
    """Query, key, value and gate; those that one matrix makes are slices of one value."""
    wide = spec.query_heads * spec.head_dim
    widths = (wide * (2 if spec.gate == "query" else 1), spec.kv_heads * spec.head_dim, spec.kv_heads * spec.values)
    gates = spec.query_heads * (1 if spec.gate == "headwise" else spec.values)
    if spec.packing in ("qkv", "gate_qkv"):
        whole = tape.linear(x, sum(widths) + (gates if spec.packing == "gate_qkv" else 0))
        return whole, whole, whole, whole if spec.gate != "none" else None
    query = tape.linear(x, widths[0])
    source, keys = (x, tape) if memory is None else (memory, Tape(tape.batch, tape.source, tape.width, tiled=tape.tiled))
    if spec.shares_cache:
        key = value = keys.make(0)
    else:
        tape.keep(source)
        key = keys.make(widths[1] + (widths[2] if spec.packing == "key_value" else 0))
        value = key if spec.packing == "key_value" or spec.value_is_key else keys.make(widths[2])
    return query, key, value, None if spec.gate == "none" else query if spec.gate == "query" else tape.linear(x, gates)


def mixed(
    tape: Tape, of: tuple[Value, Value, Value], *, heads: int, repeated: bool, widths: tuple[int, int], keys: int, softcap: bool = False,
    sinks: bool = False,
) -> Value:  # fmt: skip
    """Heads' outputs `[B, n, H d_v]` of queries, keys and values.

    Tiled: the three, the output and one 32-bit log-sum-exp a head and query. Written out: the operands of both products with key-value
    heads repeated, the scores inside a softcap, probabilities in 32 bits and once more at the dtype where that is narrower.
    """
    query, key, value = of
    if tape.tiled:
        out = tape.make(heads * widths[1])
        tape.keep(query, key, value, out, tape.make(heads, WIDE))
        return out
    pairs, stored = tape.rows * heads * keys, tape.batch * keys * heads
    tape.operand(query, tape.rows * heads * widths[0])
    _repeated(tape, key, stored * widths[0], repeated=repeated)
    if softcap:
        tape.own(tape.whole(pairs))
    wide = tape.whole(pairs + (tape.rows * heads if sinks else 0), tape.width if sinks else WIDE)
    tape.keep(wide, tape.cast(wide, tape.width))
    _repeated(tape, value, stored * widths[1], repeated=repeated)
    return tape.make(heads * widths[1])


def _repeated(tape: Tape, value: Value, elements: int, *, repeated: bool) -> None:
    if repeated:
        tape.keep(tape.whole(elements))
    else:
        tape.operand(value, elements)
