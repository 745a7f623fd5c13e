"""ConvBERT's mixed attention, as transformers' torch path executes it (models/convbert/modeling_convbert.py, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work
from .attention import work as attention

if TYPE_CHECKING:
    from ...architecture.mixers.mixed_convolution import MixedConvolution
    from ..run import Run


def work(spec: MixedConvolution, run: Run, stream: str) -> Work:
    """Softmax attention, and as a scan the depthwise convolution (2 n K d) and the made kernels (2 n K H d_h)."""
    if spec.absent:
        return NOTHING
    own = attention(spec, run, stream)
    new, _ = run.length(stream)
    channels = (spec.input_size or 0) + spec.query_heads * spec.head_dim
    return Work(full=own.full, visible=own.visible, scan=2 * run.batch * new * spec.kernel * channels)


def holds(spec: MixedConvolution, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
