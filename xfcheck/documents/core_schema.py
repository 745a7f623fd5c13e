"""Plain scalars of YAML by the core schema (YAML 1.2.2 section 10.3.2), as JSON values.

1e-5 is a float, 017 is seventeen, yes and on are texts, a date is a text: unlike YAML 1.1, which PyYAML follows.
"""

from __future__ import annotations

import re

from xfcheck.documents import limits

Scalar = str | int | float | bool | None

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?+)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_FIRST = frozenset("+-.0123456789")


def plain_scalar(text: str) -> Scalar:
    """The value of an unquoted scalar. Raises ValueError for an integer of more than INTEGER_DIGITS digits."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if text[0] not in _FIRST:
        return text
    if _INTEGER.fullmatch(text):
        return whole(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    special = _SPECIAL.fullmatch(text)
    if special is not None:
        return float(f"{special[1] or ''}inf") if "i" in text.lower() else float("nan")
    return text


def whole(text: str) -> int:
    """An integer of the core schema: decimal, 0o octal, 0x hexadecimal. Raises ValueError where it is too long or none of these."""
    if len(text) > limits.INTEGER_DIGITS:
        raise ValueError(f"an integer of {len(text)} characters")
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text[2:] if base != 10 else text, base)
