"""Attention inside chunks, of neighbours or of tokens hashed alike (Kitaev et al. 2020, arXiv 2001.04451)."""

from typing import Literal

from .attention import Attention


class BucketedAttention(Attention):
    """Chunks of `chunk` queries meet their own chunk's keys and those of `before` and `after` chunks; one chunk alone is full attention.

    `hashes` null: tokens stand in their order, query and key have maps of their own. Else they are sorted by bucket, once a hash, and one
    map is both query and key. `rotations` are the columns of the random rotation, null where the length decides the number of buckets
    (`longest` is the longest sequence). No map has a bias. Kept between passes are the layer's inputs (`input_size` wide), and the buckets.
    """

    kind: Literal["bucketed_attention"] = "bucketed_attention"  # type: ignore[assignment]
    chunk: int
    before: int = 1
    after: int = 0
    hashes: int | None = None
    rotations: int | None = None
    longest: int | None = None
