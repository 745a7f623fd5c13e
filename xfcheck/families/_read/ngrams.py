"""Tables of hashed n-grams: consecutive primes as sizes of the heads."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from ...architecture.mixers.ngram_embedding import NgramEmbedding
from ...architecture.norm import Norm

if TYPE_CHECKING:
    from .settings import Settings

MOST_HEADS = 4096
LARGEST_BASE = 10**9
"""Bounds that keep the search for primes short."""


def embeddings(c: Settings, hidden: int, count: int) -> list[NgramEmbedding]:
    """The tables of `count` layers.

    Head k of all of them has as many rows as the k-th prime from `ngram_vocab_size_base` on; a table is padded.
    Raises Refused XF118 for more heads than are searched for, XF102 where the width is no multiple of a layer's heads.
    """
    order, heads = c.int("ngram_size", minimum=2), 0
    heads = (order - 1) * c.int("heads_per_ngram")
    width = c.optional_int("ple_embed_dim", minimum=1) or hidden
    if heads * count > MOST_HEADS:
        raise c.refuse("heads_per_ngram", f"{heads * count} heads of n-grams, above {MOST_HEADS}", code="XF118")
    if width % heads:
        raise c.refuse("ple_embed_dim", f"ple_embed_dim {width} is not divisible by {heads} heads of n-grams", code="XF102")
    sizes = primes(c.int("ngram_vocab_size_base", maximum=LARGEST_BASE), heads * count)
    divisor = c.int("make_ngram_vocab_size_divisible_by")
    return [
        NgramEmbedding(
            rows=-(-sum(sizes[i * heads : (i + 1) * heads]) // divisor) * divisor,
            width=width,
            heads=heads,
            order=order,
            streams=c.int("hc_count"),
            hidden=hidden,
            kernel=c.int("ple_conv_kernel_size"),
            shards=c.int("split_ngram_parts"),
            norm=Norm(eps=c.number("rms_norm_eps")),
        )
        for i in range(count)
    ]


def primes(base: int, count: int) -> list[int]:
    """The first `count` primes that are not below `base`."""
    found: list[int] = []
    number = base
    while len(found) < count:
        if number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1)):
            found.append(number)
        number += 1
    return found
