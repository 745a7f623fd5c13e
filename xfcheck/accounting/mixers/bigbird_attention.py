"""Block-sparse attention, as transformers' torch path executes it (models/bigbird_pegasus/modeling_bigbird_pegasus.py, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.bigbird_attention import BigBirdAttention
    from ..run import Run


def work(spec: BigBirdAttention, run: Run, stream: str) -> Work:
    """2 (d_k + d_v) H FLOPs a pair; n blocks of b queries after padding, r random ones.

    The first and the last block meet all n b keys, the second and the last but one (4 + r) b, the others (5 + r) b. A short sequence is
    attended in full. Visible are the pairs of real tokens where the padding, all in the last block, is left out.
    """
    new, _ = run.length(stream)
    if not new:
        return NOTHING
    pair = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch
    if new <= spec.full_below:
        return Work(full=pair * new * new, visible=pair * new * new)
    block, chosen = spec.block, spec.random_blocks
    filled = run.filled(stream)
    blocks = filled // block
    own = block * (2 * filled + 2 * (4 + chosen) * block + (blocks - 4) * (5 + chosen) * block)
    lost = filled - new
    last = block - lost
    others = block * block * (2 * (4 + chosen) + (blocks - 4) * (5 + chosen))
    seen = block * new + last * new + others - lost * block * (blocks - 2)
    return Work(full=pair * own, visible=pair * min(seen, own))


def holds(spec: BigBirdAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
