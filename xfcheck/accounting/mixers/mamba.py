"""Mamba-1's recurrence, as transformers' torch path executes it: a sum over the state for each token.

Source: models/mamba/modeling_mamba.py, 5.24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.mamba import Mamba
    from ..run import Run


def convolution(channels: int, kernel: int, run: Run, stream: str) -> int:
    """A causal depthwise convolution of `channels` channels and K taps, 2 K FLOPs an output.

    Outputs as executed: max(n, K) + K - 1 in the prefill (the cache pads the input to K columns, the convolution K - 1 on both sides), 2 in
    a step (K cached columns and the new one, unpadded).
    """
    new, past = run.length(stream)
    outputs = 0 if not new else 2 if past else max(new, kernel) + kernel - 1
    return 2 * run.batch * channels * kernel * outputs


def work(spec: Mamba, run: Run, stream: str) -> Work:
    """The convolution and the contraction of the state with C: 2 * inner * state a token; decay and input products are elementwise (0)."""
    new, _ = run.length(stream)
    return Work(scan=convolution(spec.inner_size, spec.kernel, run, stream) + 2 * run.batch * new * spec.inner_size * spec.state_size)


def holds(spec: Mamba, stream: str) -> list[Held]:
    """K convolution columns in the cache's dtype, the state in 32 bits."""
    return [
        Held("conv", constant=spec.inner_size * spec.kernel, shifted=spec.inner_size * (spec.kernel - 1)),
        Held("recurrent", constant=spec.inner_size * spec.state_size, fp32=True),
    ]
