"""Sliding-window attention in overlapping chunks (Beltagy et al. 2020, arXiv 2004.05150)."""

from typing import Literal

from .attention import Attention


class LongformerAttention(Attention):
    """Each query sees `mask.window` keys to either side; marked tokens see all and are seen by all, through maps of their own.

    The scores are made in chunks of two windows that overlap by one. `global_maps`: query, key and value maps of the marked tokens, beside
    the others; without marked tokens (`mask.global_tokens`, at most one a sequence) they do no work.
    """

    kind: Literal["longformer_attention"] = "longformer_attention"  # type: ignore[assignment]
    global_maps: bool = True
