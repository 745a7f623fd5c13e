"""Linear attention, one token after another: 2 FLOPs an element of the state to write it, 2 to read it, 2 more under the delta rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work
from .mamba import convolution

if TYPE_CHECKING:
    from ...architecture.mixers.linear_attention import LinearAttention
    from ..run import Run


def work(spec: LinearAttention, run: Run, stream: str) -> Work:
    """The recurrence and the convolutions; where a token has several keys a head, each is written.

    Kernels that work in chunks do more products and fewer steps.
    """
    new, _ = run.length(stream)
    writes = max(1, spec.kv_heads // spec.outputs)
    steps = run.batch * new * (2 + (4 if spec.delta else 2) * writes) * spec.state_elements
    return Work(scan=steps + (convolution(spec.conv_size, spec.kernel, run, stream) if spec.kernel else 0))


def holds(spec: LinearAttention, stream: str) -> list[Held]:
    """The state in 32 bits, and the convolutions' columns in the cache's dtype."""
    columns = [Held("conv", constant=spec.conv_size * spec.kernel, shifted=spec.conv_size * (spec.kernel - 1))] if spec.kernel else []
    return [*columns, Held("recurrent", constant=spec.state_elements, fp32=True)]
