"""Griffin's recurrent block (models/recurrent_gemma/modeling_recurrent_gemma.py of transformers 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.rg_lru import RgLru
    from ..run import Run


def work(spec: RgLru, run: Run, stream: str) -> Work:
    """The convolution of the prefill, 2 K FLOPs a channel and output, n + K - 1 outputs (padded on both sides).

    The recurrence is elementwise, and a step writes its convolution as a sum of products element by element: 0. The block-diagonal gates
    are weight matrices, in the ledger.
    """
    new, past = run.length(stream)
    outputs = 0 if past or not new else new + spec.kernel - 1
    return Work(scan=2 * run.batch * spec.width * spec.kernel * outputs)


def holds(spec: RgLru, stream: str) -> list[Held]:
    """K - 1 convolution columns in the cache's dtype and one vector in 32 bits; transformers keeps them in the module itself."""
    return [Held("conv", constant=spec.width * (spec.kernel - 1)), Held("recurrent", constant=spec.width, fp32=True)]
