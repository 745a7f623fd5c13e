"""Attention between the streams of one model: latents that read the input, or queries that read the latents (arXiv 2107.14795)."""

from typing import Literal

from ..norm import Norm
from .attention import Attention


class StreamAttention(Attention):
    """Queries of one stream, keys and values of `keys_stream` (null: the same): vectors of `keys_size`, normalised by `keys_norm`."""

    kind: Literal["stream_attention"] = "stream_attention"  # type: ignore[assignment]
    keys_stream: str | None = None
    keys_size: int | None = None
    keys_norm: Norm | None = None
