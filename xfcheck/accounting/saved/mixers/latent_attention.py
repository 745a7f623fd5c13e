"""Latent attention: the latents with their norms, every head's expanded keys and values, then as any attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..norms import norm
from ..tape import Tape, UnknownError, Value
from .attention import mixed

if TYPE_CHECKING:
    from ....architecture.mixers.latent_attention import LatentAttention


def run(tape: Tape, spec: LatentAttention, x: Value, hidden: int) -> Value:
    """As executed: queries and keys are joined from both parts, values are slices of what kv_b makes.

    No gradient passes an indexer, which keeps nothing. Raises UnknownError.
    """
    if spec.query_dim is not None or spec.query_input is not None:
        raise UnknownError("latent attention with queries of another width")
    heads, each = spec.query_heads, spec.nope_dim + spec.rope_dim
    wide = heads * (each + (spec.value_dim if spec.gate == "query" else 0))
    ranked = x if spec.query_rank is None else norm(tape, spec.latent_norm, tape.linear(x, spec.query_rank), size=spec.query_rank)
    query = tape.linear(ranked, wide)
    latent = tape.linear(x, spec.kv_rank + (0 if spec.rope_apart else spec.rope_dim))
    normed = norm(tape, spec.latent_norm, latent, size=spec.kv_rank, of=spec.kv_rank)
    if spec.rope_norm is not None:
        raise UnknownError("a norm of the shared rotary key")
    value = tape.linear(normed, heads * (spec.nope_dim + spec.value_dim))
    out = mixed(
        tape, (tape.make(heads * each), tape.make(heads * each), value), heads=heads, repeated=False, widths=(each, spec.value_dim),
        keys=tape.new, softcap=spec.softcap is not None, sinks=spec.sinks,
    )  # fmt: skip
    if spec.gate != "none":
        gate = query if spec.gate == "query" else tape.linear(x, heads * (spec.value_dim if spec.gate == "elementwise" else 1))
        out = tape.times(out, tape.own(tape.make(heads * (1 if spec.gate == "headwise" else spec.value_dim), gate.width)))
    out = norm(tape, spec.output_norm, out, size=heads * spec.value_dim)
    return tape.linear(out, hidden if spec.output_size is None else spec.output_size)
