"""Bidirectional attention over neighbouring blocks, with or without summaries of the whole sequence (Guo et al. 2021, arXiv 2112.07916)."""

from typing import Literal

from ..norm import Norm
from .attention import Attention


class BlockedAttention(Attention):
    """Each block of `block` queries meets the keys of its own block and of the two beside it, padded to whole blocks.

    `mask` says which of those pairs count (local, up to block - 1 tokens away). `summary_block` null: nothing beyond. Otherwise every
    `summary_block` tokens are summed up into one more key and value that all queries see: the same key and value maps are applied to
    the normalised sum (`summary_norm`), and the first layer has a second bias table for them. `input_size` must be given then.
    `apart`: a block meets its own keys alone, and the last is as short as the sequence leaves it (CANINE, arXiv 2103.06874).
    """

    kind: Literal["blocked_attention"] = "blocked_attention"  # type: ignore[assignment]
    block: int
    summary_block: int | None = None
    summary_norm: Norm | None = None
    apart: bool = False
