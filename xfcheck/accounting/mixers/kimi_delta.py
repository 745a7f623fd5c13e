"""Kimi delta attention, as transformers' torch path executes it.

Source: models/kimi_linear/modeling_kimi_linear.py, 5.24, chunk_kimi_delta_attention.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work
from .mamba import convolution

if TYPE_CHECKING:
    from ...architecture.mixers.kimi_delta import KimiDelta
    from ..run import Run


def chunked(heads: int, width: int, chunk: int, tokens: int) -> int:
    """Matrix products of one sequence.

    c chunks of l tokens (the last one padded), H heads of D: the solved triangle with values and with keys, and the scores with the values,
    6 c l^2 H D; keys with the state, queries with the state and the state's update, 6 c l H D^2. Scores under a decay a channel are sums
    of products element by element, as is the substitution that solves the triangle: 0.
    """
    chunks = -(-tokens // chunk)
    return 6 * chunks * chunk * heads * width * (chunk + width)


def work(spec: KimiDelta, run: Run, stream: str) -> Work:
    """The convolution and the chunks' products; a step of one token is written as sums of products element by element, which count 0."""
    new, past = run.length(stream)
    products = 0 if past and new == 1 else chunked(spec.heads, spec.head_dim, spec.chunk, new)
    return Work(scan=convolution(3 * spec.inner_size, spec.kernel, run, stream) + run.batch * products)


def holds(spec: KimiDelta, stream: str) -> list[Held]:
    """K convolution columns in the cache's dtype, one state a head in 32 bits."""
    return [
        Held("conv", constant=3 * spec.inner_size * spec.kernel, shifted=3 * spec.inner_size * (spec.kernel - 1)),
        Held("recurrent", constant=spec.heads * spec.head_dim**2, fp32=True),
    ]
