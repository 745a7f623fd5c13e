"""The closed forms of visible and computed pairs against sums over positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xfcheck.accounting.pairs import causal, full, ramp, strided, visible
from xfcheck.architecture.masks import Mask

SMALL = st.integers(0, 24)
WINDOW = st.integers(1, 12)


def counted(new: int, past: int, sees: object) -> int:
    """Pairs of the queries past .. past + new - 1 with keys 0 .. past + new - 1, by looking at each."""
    total = past + new
    return sum(bool(sees(q, k)) for q in range(past, total) for k in range(total))  # type: ignore[operator]


@given(SMALL, SMALL, SMALL)
def test_ramp(first: int, length: int, cap: int) -> None:
    assert ramp(first, first + length - 1, cap) == sum(min(t, cap) for t in range(first, first + length))


@given(SMALL, SMALL)
def test_causal(new: int, past: int) -> None:
    assert causal(new, past) == visible(Mask(), new, past) == counted(new, past, lambda q, k: k <= q)


@given(SMALL, SMALL, WINDOW)
def test_sliding(new: int, past: int, window: int) -> None:
    mask = Mask(kind="sliding", window=window)
    assert visible(mask, new, past) == counted(new, past, lambda q, k: q - window < k <= q)


@given(SMALL, SMALL, WINDOW)
def test_chunked(new: int, past: int, chunk: int) -> None:
    mask = Mask(kind="chunked", window=chunk)
    assert visible(mask, new, past) == counted(new, past, lambda q, k: k <= q and k // chunk == q // chunk)


@given(SMALL, WINDOW)
def test_local(length: int, reach: int) -> None:
    mask = Mask(kind="local", window=reach)
    assert visible(mask, length, 0) == counted(length, 0, lambda q, k: abs(q - k) <= reach)


@given(SMALL, SMALL)
def test_bidirectional_and_prefix(length: int, prefix: int) -> None:
    assert visible(Mask(kind="bidirectional"), length, 0) == length * length
    assert visible(Mask(kind="prefix", prefix=prefix), length, 0) == counted(length, 0, lambda q, k: k <= q or (q < prefix and k < prefix))


@given(SMALL, SMALL, WINDOW)
def test_indexed_sees_at_most_the_chosen(new: int, past: int, chosen: int) -> None:
    mask = Mask(kind="indexed", window=chosen)
    assert visible(mask, new, past) == sum(min(q + 1, chosen) for q in range(past, past + new))


@given(SMALL, SMALL, WINDOW, st.none() | SMALL)
def test_strided(new: int, past: int, stride: int, cap: int | None) -> None:
    closed = [(t // stride) if cap is None else min(t // stride, cap) for t in range(past + 1, past + new + 1)]
    assert strided(new, past, stride, cap) == sum(closed)


@given(st.integers(1, 24), SMALL, WINDOW, st.sampled_from(["causal", "sliding", "chunked"]))
def test_what_is_visible_is_computed(new: int, past: int, window: int, kind: str) -> None:
    mask = Mask(kind=kind, window=None if kind == "causal" else window)  # type: ignore[arg-type]
    assert visible(mask, new, 0) <= full(mask, new, 0) == new * new
    assert visible(mask, 1, past) <= full(mask, 1, past) <= past + 1


@given(SMALL, st.integers(2, 12))
def test_a_window_keeps_all_but_one(past: int, window: int) -> None:
    """The cache holds W - 1 tokens, so a step sees at most W (transformers 5.24, DynamicSlidingWindowLayer)."""
    assert full(Mask(kind="sliding", window=window), 1, past) == min(past, window - 1) + 1


def test_by_hand() -> None:
    """Five tokens, window 2: 1 + 2 + 2 + 2 + 2; chunks of 2: 1 + 2 + 1 + 2 + 1; one more after five: 2 and 2."""
    assert visible(Mask(kind="sliding", window=2), 5, 0) == 9
    assert visible(Mask(kind="chunked", window=2), 5, 0) == 7
    assert visible(Mask(kind="sliding", window=2), 1, 5) == 2
    assert visible(Mask(kind="chunked", window=2), 1, 5) == 2
    assert visible(Mask(), 5, 0) == 15


@pytest.mark.parametrize("kind", ["sliding", "local", "chunked", "indexed"])
def test_a_window_is_needed(kind: str) -> None:
    with pytest.raises(ValueError, match="window"):
        Mask(kind=kind)  # type: ignore[arg-type]
