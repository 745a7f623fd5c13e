"""Mamba-2's chunked scan, as transformers' torch path executes it (models/mamba2/modeling_mamba2.py, 5.24, mamba2_chunk_scan)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work
from .mamba import convolution

if TYPE_CHECKING:
    from ...architecture.mixers.mamba2 import Mamba2
    from ..run import Run


def work(spec: Mamba2, run: Run, stream: str) -> Work:
    """Five products a pass: C with B and scores with x inside a chunk, the chunks' states, their recurrence, states with C.

    With c chunks of l tokens (the last one padded), H heads of P, state N:
    2 c l^2 H N + 2 c l^2 H P + 4 c l H N P + 2 (c + 1)^2 H P N. A step of one token: 2 H P N.
    """
    new, past = run.length(stream)
    heads, width, state, chunk = spec.heads, spec.head_dim, spec.state_size, spec.chunk
    if past and new == 1:
        products = 2 * heads * width * state
    else:
        chunks = -(-new // chunk)
        inside = 2 * chunks * chunk * chunk * heads * (state + width)
        between = 4 * chunks * chunk * heads * state * width + 2 * (chunks + 1) ** 2 * heads * width * state
        products = inside + between if new else 0
    return Work(scan=convolution(spec.conv_size, spec.kernel, run, stream) + run.batch * products)


def holds(spec: Mamba2, stream: str) -> list[Held]:
    """K convolution columns in the cache's dtype, one state a head in 32 bits."""
    return [
        Held("conv", constant=spec.conv_size * spec.kernel, shifted=spec.conv_size * (spec.kernel - 1)),
        Held("recurrent", constant=spec.heads * spec.head_dim * spec.state_size, fp32=True),
    ]
