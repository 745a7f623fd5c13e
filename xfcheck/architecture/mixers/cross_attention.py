"""Softmax attention over another stream."""

from typing import ClassVar, Literal

from ..masks import CROSS, Mask
from .attention import Attention


class CrossAttention(Attention):
    """Attention whose keys and values come from another stream: scores of m x n.

    `memory`: the stream attended to; `absent` where the config asks for cross attention but has no encoder (its projections
    count as parameters, its work and its cache are zero). `memory_size`: the width of that stream.
    """

    component: ClassVar[str] = "cross_attention"
    kind: Literal["cross_attention"] = "cross_attention"  # type: ignore[assignment]
    mask: Mask = CROSS
    memory: Literal["encoder", "image", "audio", "absent"] = "encoder"
    memory_size: int | None = None
