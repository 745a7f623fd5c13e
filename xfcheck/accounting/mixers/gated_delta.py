"""The gated delta rule, as transformers' torch path executes it.

Source: models/qwen3_next/modeling_qwen3_next.py, 5.24, torch_chunk_gated_delta_rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work
from .mamba import convolution

if TYPE_CHECKING:
    from ...architecture.mixers.gated_delta import GatedDelta
    from ..run import Run


def chunked(heads: int, keys: int, values: int, chunk: int, tokens: int) -> int:
    """Matrix products of one sequence.

    c chunks of l tokens (the last one padded), H heads, key width K, value width V: keys with keys, queries with keys and the scores with
    the values, 2 c l^2 H (2 K + V); keys with the state, queries with the state and the state's update, 6 c l H K V. The triangular systems
    are solved by substitution, which is no product: 0.
    """
    chunks = -(-tokens // chunk)
    return chunks * heads * chunk * (2 * chunk * (2 * keys + values) + 6 * keys * values)


def work(spec: GatedDelta, run: Run, stream: str) -> Work:
    """The convolution and the chunks' products; a step of one token is written as sums of products element by element, which count 0."""
    new, past = run.length(stream)
    products = 0 if past and new == 1 else chunked(spec.value_heads, spec.key_dim, spec.value_dim, spec.chunk, new)
    return Work(scan=convolution(spec.conv_size, spec.kernel, run, stream) + run.batch * products)


def holds(spec: GatedDelta, stream: str) -> list[Held]:
    """K convolution columns in the cache's dtype, one state a value head in 32 bits."""
    return [
        Held("conv", constant=spec.conv_size * spec.kernel, shifted=spec.conv_size * (spec.kernel - 1)),
        Held("recurrent", constant=spec.value_heads * spec.key_dim * spec.value_dim, fp32=True),
    ]
