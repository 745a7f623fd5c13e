"""Attention with separate vectors for content and relative position (He et al. 2020, arXiv 2006.03654)."""

from typing import Literal

from pydantic import Field

from .attention import Attention


class DisentangledAttention(Attention):
    """Scores of content with content, of content with position (`c2p`) and of position with content (`p2c`).

    The table of relative positions has 2 * `span` rows of the width of the stream, and belongs to the stack. `span_follows_length`: only
    2 * min(n, span) of them are used for n tokens. `shared_maps`: query and key maps turn positions too; else `position_key`
    `[H * head_dim, d]` (for c2p) and `position_query` (for p2c) do. `position_key_bias`: whether the first of these has a bias.
    `talking_heads`: maps `[H, H]` over the heads before and after the softmax.
    """

    kind: Literal["disentangled_attention"] = "disentangled_attention"  # type: ignore[assignment]
    span: int
    terms: list[Literal["c2p", "p2c"]] = Field(default_factory=list)
    span_follows_length: bool = False
    shared_maps: bool = False
    position_key_bias: bool = True
    talking_heads: bool = False
