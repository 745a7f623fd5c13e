"""Numbers as text: three digits with a letter."""

from __future__ import annotations

import pytest

from xfcheck.accounting.units import binary, si


@pytest.mark.parametrize(
    ("number", "text"),
    [(999, "999 FLOP"), (8_030_261_248, "8.03 GFLOP"), (5 * 10**24, "5000 ZFLOP"), (524288 * 10**39, "5.24e+23 ZFLOP")],
)  # fmt: skip
def test_flops(number: int, text: str) -> None:
    assert si(number, "FLOP") == text


def test_bytes_past_the_last_letter_are_no_noise() -> None:
    assert binary(16 * 2**60) == "16.00 EiB"
    assert binary(2**60 * 10**9) == "1.00e+09 EiB"
