"""Vectors of hashed token n-grams, gated into the residual stream of a layer (Qwen4-Exp)."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class NgramEmbedding(Mixer):
    """A table of `rows` vectors of `width / heads`, `heads` of them a token, joined to `width`.

    Keys `[streams * d, width]` and a value `[d, width]` come from it.

    Each of the `streams` of the residual gates the value by its key; a causal depthwise convolution of `kernel` taps, `order` tokens apart,
    runs over all of them. `order` is the longest n-gram. The checkpoint cuts the table in `shards`. Buffers in 64 bits: `order`
    multipliers, and a size and an offset a head. State a layer, whatever the length: `(kernel - 1) * order` columns, `order - 1` token ids.
    """

    component: ClassVar[str] = "other"
    kind: Literal["ngram_embedding"] = "ngram_embedding"
    rows: int
    width: int
    heads: int
    order: int
    streams: int
    hidden: int
    kernel: int
    shards: int = 1
    norm: Norm = Norm()
