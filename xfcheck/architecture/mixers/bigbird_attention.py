"""Block-sparse attention with a window, random and global blocks (Zaheer et al. 2020, arXiv 2007.14062)."""

from typing import Literal

from .attention import Attention


class BigBirdAttention(Attention):
    """Blocks of `block` queries meet three blocks around them, `random_blocks` drawn ones, and the first and the last; those two meet all.

    Up to `full_below` tokens, which the sparse pattern would not leave room for, the attention is full.
    """

    kind: Literal["bigbird_attention"] = "bigbird_attention"  # type: ignore[assignment]
    block: int
    random_blocks: int

    @property
    def full_below(self) -> int:
        """The longest sequence that is attended in full, in tokens."""
        return (5 + 2 * self.random_blocks) * self.block
