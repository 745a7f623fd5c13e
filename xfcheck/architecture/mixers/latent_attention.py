"""Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1)."""

from typing import ClassVar, Literal

from ..masks import CAUSAL, Mask
from ..norm import Norm
from ..part import Mixer, Part
from .attention import Position


class Indexer(Part):
    """The small attention that picks the keys of sparse attention (DeepSeek-V3.2): `heads` of `head_dim`, `top_k` keys kept.

    `shared`: the layer reuses the choice of an earlier one and has no indexer of its own. `full_precision`: its keys are kept in 32 bits.
    """

    heads: int
    head_dim: int
    top_k: int
    key_norm: Norm = Norm(kind="layer", bias=True)
    shared: bool = False
    full_precision: bool = False


class LatentAttention(Mixer):
    """Keys and values from one latent of `kv_rank` a token, and one rotary key of `rope_dim` that all heads share.

    Shapes: query_a `[query_rank, d]`, query_b `[H * (nope_dim + rope_dim), query_rank]` (one `query` matrix where query_rank is
    null), kv_a `[kv_rank + rope_dim, d]`, kv_b `[H * (nope_dim + value_dim), kv_rank]`, output `[d, H * value_dim]`.
    The cache holds kv_rank + rope_dim a token, whatever H is.

    `query_input`: columns of query_b where they are not query_rank; `query_dim`: its rows a head where they are not nope_dim + rope_dim.
    `rope_norm` normalises the shared rotary key. `gate`: an output gate from query_b (`query`: value_dim more rows a head) or of its own
    (`elementwise` H * value_dim, `headwise` H rows), or none. `rope_apart`: the rotary key has a matrix of its own, `[rope_dim, d]`.
    `sinks`: a trained logit a head. `kept_tokens`: as in `Attention`.
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
    query_input: int | None = None
    query_dim: int | None = None
    rope_norm: Norm | None = None
    rope_apart: bool = False
    gate: Literal["none", "query", "elementwise", "headwise"] = "none"
    sinks: bool = False
    indexer: Indexer | None = None
    scale: float | None = None
    softcap: float | None = None
    dropout: float = 0.0
    mask: Mask = CAUSAL
    position: Position | None = None
    kept_tokens: int | None = None

    @property
    def window(self) -> int | None:
        """The window that the reference's cache obeys, null for none: the mask's, or one that the mask does not have."""
        return self.mask.window if self.kept_tokens is None and self.mask.kind in ("sliding", "chunked") else self.kept_tokens
