"""What `--vary` asks for: keys, their values, and the products of several."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from ..problems import Usage

LIMIT = 512
"""Most variants of one comparison: a table of more is read by nobody."""


class Edit(NamedTuple):
    """One key with one value, as written on the command line."""

    key: str
    text: str

    def __str__(self) -> str:
        return self.text if self.key == "attention" else f"{self.key}={self.text}"


class Variation(NamedTuple):
    """A variant that is asked for: its edits in the order of the flags."""

    edits: tuple[Edit, ...]

    @property
    def name(self) -> str:
        """The values of an attention as they stand (`gqa:8`), those of other keys with their key, joined by a comma."""
        return ", ".join(map(str, self.edits))


def variations(flags: list[str]) -> list[Variation]:
    """The product of all `KEY=VALUE,VALUE` flags, the last one varying fastest.

    Raises Usage for a flag without values, or a key given twice.
    """
    axes: list[list[Edit]] = []
    for flag in flags:
        key, equals, text = flag.partition("=")
        key = key.strip()
        values = list(dict.fromkeys(_split(text)))
        if not key or not equals or not values:
            raise Usage(f"--vary {flag}: write KEY=VALUE,VALUE, for instance attention=mha,gqa:8,mqa")
        if any(axis[0].key == key for axis in axes):
            raise Usage(f"--vary {key} is given twice: list its values in one flag")
        axes.append([Edit(key, value) for value in values])
    count = 1
    for axis in axes:
        count *= len(axis)
    if count > LIMIT:
        raise Usage(f"--vary asks for {count:,} variants, above {LIMIT}")
    return [Variation(edits) for edits in product(*axes)] if axes else []


def _split(text: str) -> list[str]:
    """Values between commas; commas inside brackets, braces and quotes belong to a value."""
    out, at, depth, quoted = [], 0, 0, False
    for i, sign in enumerate(text):
        if sign == '"':
            quoted = not quoted
        elif not quoted:
            depth += (sign in "[{") - (sign in "]}")
            if sign == "," and depth <= 0:
                out.append(text[at:i])
                at = i + 1
    return [value.strip() for value in (*out, text[at:]) if value.strip()]
