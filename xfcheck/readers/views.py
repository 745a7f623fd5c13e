"""The readers by name, and where two of them disagree."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..problems import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..rules._context import Context
    from .value import Value, View

READERS = {"transformers@5": "transformers5", "transformers@4": "transformers4", "vllm": "vllm", "llama.cpp": "llama_cpp"}
"""Reader -> its module here, which has a function `view(context)`."""


def reader_of(name: str) -> str:
    """The reader's own name. Raises Usage for an unknown one, with the nearest."""
    asked = name.strip().lower().replace("transformers==", "transformers@")
    if asked in READERS:
        return asked
    from difflib import get_close_matches

    near = get_close_matches(asked, READERS, 1)
    raise Usage(f"no reader {name!r}" + (f"; did you mean {near[0]}?" if near else f"; one of {', '.join(READERS)}"))


def view(context: Context, reader: str) -> View:
    """The config as the reader sees it."""
    found: View = import_module(f"{__package__}.{READERS[reader_of(reader)]}").view(context)
    return found


def differences(first: View, second: View) -> list[tuple[str, Value | None, Value | None]]:
    """(name, value of the first, of the second) where they are not equal.

    A name that one of them lacks counts where the other has a value; of a reader that carries few keys, only rotary names do.
    """
    rows = []
    for name in dict.fromkeys((*first.values, *second.values)):
        a, b = first.values.get(name), second.values.get(name)
        if a is None or b is None:
            held = b if a is None else a
            rotary = name.startswith("rope.") or ".rope." in name
            if held is None or held.value is None or ((first.partial or second.partial) and not rotary):
                continue
        elif same(a.value, b.value):
            continue
        rows.append((name, a, b))
    return rows


def same(a: Any, b: Any) -> bool:
    """Equal, whole numbers and fractions alike, a switch never equal to a number."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def known(names: Iterable[str]) -> list[str]:
    """Each asked for once, all where none is."""
    return list(dict.fromkeys(reader_of(name) for name in names)) or list(READERS)
