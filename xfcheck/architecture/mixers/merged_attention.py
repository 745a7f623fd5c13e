"""Self-attention and cross attention in one softmax (Zhang et al. 2025, arXiv 2512.14856)."""

from typing import Literal

from .attention import Attention


class MergedAttention(Attention):
    """A decoder's queries meet its own past and the whole source at once; one pair of key and value maps serves both."""

    kind: Literal["merged_attention"] = "merged_attention"  # type: ignore[assignment]
