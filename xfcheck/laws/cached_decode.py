"""Decoding with a cache, token by token, gives the scores of one pass over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..accounting.budget import encodes_only
from ..torch_build.passes import Pass
from .instance import SOURCE, TOKENS, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance

SUMS = 10
"""Times the bound of one number: scores are sums over layers."""


def judge(x: Instance) -> Iterator[Check]:
    """Largest difference of a score, with some tokens in the prefill and the rest one at a time (past every window of the instance)."""
    if (
        encodes_only(x.design)
        or x.small.head.kind not in ("causal", "seq2seq")
        or any(getattr(m, "cached", None) is False for m in x.of("attention"))
    ):
        return
    tokens = TOKENS + 8
    ids, first = x.ids(tokens), 5
    whole = x.run(ids)
    with torch.no_grad():
        run = Pass()
        parts = [x.model(ids[:, :first], run, x.ids(SOURCE, seed=2))]
        run = run.following(first)
        for t in range(first, tokens):
            parts.append(x.model(ids[:, t : t + 1], run))
            run = run.following(1)
    size = max(1.0, whole.abs().max().item())
    yield bounded(
        "cached_decode",
        (torch.cat(parts, 1) - whole).abs().max().item() / size,
        SUMS * x.exact,
        f"scores of {tokens} tokens, {first} of them in the prefill",
    )
