"""Scores of cross attention are m x n: queries of one stream, keys of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..verification.check import Check
from .instance import SOURCE, TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """The shape of the scores as they were computed."""
    for name, placed in x.heads():
        if placed.mixer.kind == "cross_attention":
            got = list(x.seen[f"{name}.scores"].shape[-2:])
            yield Check(
                "law.cross_attention",
                [TOKENS, SOURCE],
                got,
                "agreed" if got == [TOKENS, SOURCE] else "differs",
                "queries of the decoder, keys of the encoder",
            )
            return
