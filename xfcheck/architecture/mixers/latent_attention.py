"""Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1)."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..masks import CAUSAL, Mask
from ..norm import Norm
from ..part import Mixer, Part
from .attention import Position


class Indexer(Part):
    """The small attention that picks the keys of sparse attention (DeepSeek-V3.2): `heads` of `head_dim`, `top_k` keys kept."""

    heads: int
    head_dim: int
    top_k: int
    key_norm: Norm = Norm(kind="layer", bias=True)
    shared: bool = False


class LatentAttention(Mixer):
    """Keys and values from one latent of `kv_rank` a token, and one rotary key of `rope_dim` that all heads share.

    Shapes: query_a `[query_rank, d]`, query_b `[H * (nope_dim + rope_dim), query_rank]` (one `query` matrix where query_rank is
    null), kv_a `[kv_rank + rope_dim, d]`, kv_b `[H * (nope_dim + value_dim), kv_rank]`, output `[d, H * value_dim]`.
    The cache holds kv_rank + rope_dim a token, whatever H is.
    """

    component: ClassVar[str] = "attention"
    kind: Literal["latent_attention"] = "latent_attention"
    query_heads: int
    query_rank: int | None
    kv_rank: int
    nope_dim: int
    rope_dim: int
    value_dim: int
    biases: list[Literal["query", "query_a", "query_b", "kv_a", "kv_b", "output"]] = []
    latent_norm: Norm = Norm()
    output_norm: Norm | None = None
    indexer: Indexer | None = None
    scale: float | None = None
    softcap: float | None = None
    dropout: float = 0.0
    mask: Mask = CAUSAL
    position: Position | None = None
    kept_tokens: int | None = None
