"""Positions as a bias on the attention scores."""

from typing import Literal

from ..part import Part


class Alibi(Part):
    """A fixed slope a head times the distance (Press et al. 2021, arXiv 2108.12409). No weights."""

    kind: Literal["alibi"] = "alibi"


class RelativeBias(Part):
    """A trained bias a bucket of distances and a head (Raffel et al. 2019, section 2.1).

    `table`: this block holds the table `[buckets, query_heads]`; blocks without it reuse the first block's.
    """

    kind: Literal["relative_bias"] = "relative_bias"
    buckets: int
    max_distance: int | None = None
    bidirectional: bool = True
    table: bool = True
