"""Numbers with units, read and written: SI for counts and FLOPs, binary for bytes."""

from __future__ import annotations

import re
from fractions import Fraction

SI = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
"""Suffixes of counts; B is a billion, as in 8B."""
SPELT = {"K": "k", "m": "M", "g": "G", "b": "B", "t": "T"}
BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
NUMBER = re.compile(r"\s*([+-]?\d[\d_,]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s*([A-Za-z]*)\s*")


def amount(text: object) -> Fraction:
    """The number that a text says: `8.1e9`, `8B`, `128KiB`, `80GiB`, `3.35TB`, `1,024`; a number passes.

    `B` alone is a billion; after another letter it is a byte (`GB` is 10^9 bytes, `GiB` 2^30). Raises ValueError for anything else.
    """
    if isinstance(text, bool):
        raise ValueError(f"{text!r} is no number")
    if isinstance(text, (int, float)):
        return Fraction(text)
    found = NUMBER.fullmatch(str(text))
    if found is None or len(str(text)) > 60:
        raise ValueError(f"{text!r} is no number with a unit such as 8B, 128KiB or 80GiB")
    digits, unit = found[1].replace(",", "").replace("_", ""), found[2]
    plain = unit[:-1] if len(unit) > 1 and unit[-1] in "Bb" else unit
    factor = BINARY.get(plain, BINARY.get(plain[:1].upper() + plain[1:])) or SI.get(SPELT.get(plain, plain))
    if factor is None:
        raise ValueError(f"{unit!r} is no unit: k, M, B, T, or KiB, MiB, GiB, TiB, or kB, MB, GB, TB")
    return Fraction(digits) * factor


def whole(text: str) -> int:
    """The count that a text says, in the units of `amount`: `4096`, `128k` (128,000), `128Ki` (131,072). Raises ValueError for a part."""
    if text.isdecimal() and len(text) < 60:
        return int(text)
    found = amount(text)
    if found.denominator != 1:
        raise ValueError(f"{text!r} is no whole number")
    return int(found)


def si(number: int | float, unit: str = "") -> str:
    """Three digits with an SI letter: 8.03 B parameters are `8.03G`; with no unit the billion is `B`."""
    letters = ("", "k", "M", "G" if unit else "B", "T", "P", "E", "Z")
    return _scaled(number, 1000, letters, unit)


def binary(number: int | float) -> str:
    """Three digits in powers of 1024: `14.96 GiB`."""
    return _scaled(number, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"), "", space=True)


def _scaled(number: int | float, base: int, letters: tuple[str, ...], unit: str, *, space: bool = False) -> str:
    size, step = abs(number), 0
    while step + 1 < len(letters) and round(size / base**step, 2) >= base:
        step += 1
    value = size / base**step
    text = f"{value:.0f}" if step == 0 else f"{value:.2f}" if value < 100 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"
    if step and value >= 1e6:  # far past the last letter: the further digits of a float are noise
        text = f"{value:.2e}"
    sign, gap = "-" if number < 0 else "", " " if space or unit else ""
    return f"{sign}{text}{gap}{letters[step]}{unit}"
