"""Says in words why a place of a JSON text cannot be read."""

from __future__ import annotations

import re

_ODD_NUMBER = re.compile(r"[-+.]*[0-9][\w.+-]*|[-+]\.?\w*")


def diagnose(rest: str, expected: str, *, key: bool) -> tuple[str, str | None]:
    """Message and help for a text that goes on with `rest` (not empty) where no token of JSON fits.

    `expected` is the clause that says what the grammar wants here; `key` whether that is an object key.
    """
    first = rest[0]
    found = _ODD_NUMBER.match(rest) or re.match(r"\w+|.", rest, re.DOTALL)
    word = found[0] if found is not None else first
    if rest.startswith(("<<<<<<<", "=======", ">>>>>>>")):
        return "a merge conflict is left in the file", "take one of the two sides and remove the markers"
    if first in "\"'":
        return "a string is not closed on its line", "close it with a quote, or write the line break as \\n; or the file is cut off"
    if first in "+-.0123456789":
        return f"{word} is no JSON number", "no leading zero or plus, and digits on both sides of the point"
    if rest.startswith("/*"):
        return "a comment is not closed", "JSON has no comments: remove it"
    if key and (first.isalpha() or first in "_$"):
        return f"the key {word} is not in double quotes", f'write "{word}"'
    if first.isalpha():
        return f"{word} is no JSON value", "a text takes double quotes; the only words are true, false and null"
    if rest.startswith(("{{", "{%", "${")):
        return "a template is left in the file", "fill it in first"
    return f"unexpected {first!r}: {expected}", None
