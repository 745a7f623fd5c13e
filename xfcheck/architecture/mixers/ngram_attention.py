"""Self-attention of a token's own stream and of the streams that predict the tokens after it (Qi et al. 2020, arXiv 2001.04063)."""

from typing import Literal

from .attention import Attention


class NgramAttention(Attention):
    """The main stream is causal; each of `ngram` predicting streams sees the main stream's past and, of its own, the token itself.

    `buckets` distances have a bias that a linear map of the hidden state gives: `[buckets * query_heads, d]`.
    """

    kind: Literal["ngram_attention"] = "ngram_attention"  # type: ignore[assignment]
    ngram: int
    buckets: int
