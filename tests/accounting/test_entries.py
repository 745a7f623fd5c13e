"""Entries that stand for several tokens: closed forms against sums over positions, and DeepSeek-V4's cache written out."""

from __future__ import annotations

import pytest

from xfcheck.accounting.mixers._parts import Held
from xfcheck.accounting.pairs import strided


@pytest.mark.parametrize("cap", [None, 1, 2, 5, 100])
@pytest.mark.parametrize("stride", [1, 3, 4, 128])
@pytest.mark.parametrize(("past", "new"), [(0, 0), (0, 1), (0, 16), (0, 301), (7, 1), (16, 5), (400, 130)])
def test_pairs_of_queries_and_entries(past: int, new: int, stride: int, cap: int | None) -> None:
    """A query at position t (from 1) sees the floor(t / stride) entries closed by then, at most `cap`."""
    seen = (t // stride for t in range(past + 1, past + new + 1))
    assert strided(new, past, stride, cap) == sum(entries if cap is None else min(entries, cap) for entries in seen)


@pytest.mark.parametrize(("part", "tokens"), [("entries", [0, 0, 1, 4]), ("waiting", [0, 3, 0, 1]), ("last", [0, 0, 4, 4])])
def test_what_is_kept_of_a_stride(part: str, tokens: list[int]) -> None:
    """After 0, 3, 4 and 17 tokens with one entry every 4: modeling_deepseek_v4.py, store_compression_weights and update_overlap_state."""
    held = Held("compressed", per_token=1, stride=4, part=part)  # type: ignore[arg-type]
    assert [held.strided(context) for context in (0, 3, 4, 17)] == tokens


def test_a_layer_without_strides_has_no_entries() -> None:
    """Asking for entries where there are none is a mistake of the caller."""
    with pytest.raises(ValueError, match="stride"):
        Held("full", per_token=1).strided(4)
