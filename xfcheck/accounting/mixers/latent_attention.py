"""Latent attention: every head's keys are expanded from the latents (kv_b multiplies all cached tokens), the cache holds latents alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import causal, full, visible
from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.latent_attention import LatentAttention
    from ..run import Run


def work(spec: LatentAttention, run: Run, stream: str) -> Work:
    """As executed: scores over nope + rope dimensions, values of value_dim, H heads; the indexer's scores and their sum over its own.

    The reference computes every score and masks those the indexer leaves out; the indexer itself scores all pairs.
    """
    new, past = run.length(stream)
    pair = 2 * spec.query_heads * (spec.nope_dim + spec.rope_dim + spec.value_dim) * run.batch
    whole = full(spec.mask, new, past, spec.kept_tokens)
    each = 0 if spec.indexer is None or spec.indexer.shared else 2 * spec.indexer.heads * (spec.indexer.head_dim + 1) * run.batch
    return Work(full=pair * whole + each * whole, visible=pair * min(whole, visible(spec.mask, new, past)) + each * causal(new, past))


def absorbed(spec: LatentAttention, run: Run, stream: str) -> int:
    """FLOPs of one layer's attention with kv_b folded into query and output: scores and values live in the latent space.

    Counted: scores and values over kv_rank (+ rope for the scores), and the two per-head maps of the new tokens; the caller takes kv_b's
    expansion of the cached tokens away.
    """
    new, past = run.length(stream)
    pairs = full(spec.mask, new, past, spec.kept_tokens)
    heads = 2 * spec.query_heads * run.batch
    return heads * ((2 * spec.kv_rank + spec.rope_dim) * pairs + spec.kv_rank * (spec.nope_dim + spec.value_dim) * new)


def holds(spec: LatentAttention, stream: str) -> list[Held]:
    """The latent and the shared rotary key; the indexer's key."""
    held = [
        Held(
            "latent",
            per_token=spec.kv_rank + spec.rope_dim,
            mask=spec.mask,
            kept_tokens=spec.kept_tokens,
            key_elements=spec.kv_rank + spec.rope_dim,
            expanded=spec.query_heads * (spec.nope_dim + spec.rope_dim + spec.value_dim),
        )
    ]
    if spec.indexer is not None and not spec.indexer.shared:
        held.append(Held("indexer", per_token=spec.indexer.head_dim, fp32=spec.indexer.full_precision))
    return held
