"""JSON: the standard library reads what is right, the forgiving reader says where and what is wrong (RFC 8259).

A config.json of 2 KB costs 0.1 ms. Positions are made only when asked for, and the forgiving reader is imported only then.
"""

from __future__ import annotations

import json
import re
from typing import Any

from xfcheck.documents import limits
from xfcheck.documents.document import Lines, Problem, Spans

# a pattern and no compiled one: most files have no surrogates, and compiling costs start-up
_ESCAPE = r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)"
NON_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def special_float(value: dict[str, Any]) -> Any:
    """The float that transformers writes as `{"__float__": "Infinity"}` (also "-Infinity", "NaN"); any other object unchanged."""
    if len(value) != 1:
        return value
    name = value.get("__float__")
    return NON_FINITE.get(name, value) if isinstance(name, str) else value


class _Watch:
    """Hooks of json.loads that keep count of what the strict grammar lets through or the library is silent about."""

    __slots__ = ("odd",)

    def __init__(self) -> None:
        self.odd = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> Any:
        value = dict(pairs)
        if len(value) != len(pairs):
            self.odd = True
        return special_float(value) if len(value) == 1 else value

    def whole(self, digits: str) -> int:
        if len(digits) > limits.INTEGER_DIGITS:
            raise ValueError("an integer too long to read")
        return int(digits)

    def real(self, digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            self.odd = True
        return value

    def constant(self, name: str) -> float:
        self.odd = True
        return float(name)


def read_json(text: str, *, elements: int = limits.ELEMENTS) -> tuple[Any, list[Problem], bool]:
    """The value of a JSON text, its problems, and whether the strict grammar of RFC 8259 accepts it.

    `elements` bounds the number of values. The value is None where the text cannot be read; a lone surrogate escape becomes U+FFFD.
    """
    text, problems = _mend_surrogates(text)
    if _count_members(text, elements) > elements:
        return None, [*problems, Problem(f"more than {elements:,} values", help="no Transformer config is that long")], False
    watch = _Watch()
    try:
        data = json.loads(text, object_pairs_hook=watch.pairs, parse_int=watch.whole, parse_float=watch.real, parse_constant=watch.constant)
        deep = too_deep(data, text.count("[") + text.count("{"))
        strict = not watch.odd and not deep
        error = f"nested deeper than {limits.DEPTH} levels" if deep else "duplicate keys or numbers that JSON does not have"
        data = None if deep else data
    except (ValueError, RecursionError) as failure:
        data, strict, error = None, False, _first_error(failure)
        where = failure.pos if isinstance(failure, json.JSONDecodeError) else None
    else:
        where = None
    if strict:
        return data, problems, True
    if len(text) > limits.TOLERANT_BYTES:
        line, column = Lines(text).at(where) if where is not None else (None, None)
        severity = "error" if data is None else "warning"
        return data, [*problems, Problem(error, line=line, column=column, severity=severity)], False
    from xfcheck.documents.json_tolerant import Tolerant

    found = Tolerant(text, elements=elements)
    return (data if found.gave_up else found.value), problems + found.problems, False


def _first_error(failure: Exception) -> str:
    if isinstance(failure, RecursionError):
        return f"nested deeper than {limits.DEPTH} levels"
    return failure.msg if isinstance(failure, json.JSONDecodeError) else str(failure)


def json_spans(text: str, *, elements: int = limits.ELEMENTS) -> Spans:
    """Spans of every value of a JSON text by pointer: a map, or for texts over MAPPED_BYTES a search at each question."""
    text = _mend_surrogates(text)[0]
    if len(text) > limits.MAPPED_BYTES:
        from xfcheck.documents.json_search import Search

        return Search(text)
    from xfcheck.documents.json_tolerant import Tolerant

    return Tolerant(text, elements=elements, patient=True).spans


def _mend_surrogates(text: str) -> tuple[str, list[Problem]]:
    """Replace each lone surrogate escape by that of U+FFFD, which has the same length: no such string can be written out again."""
    if "\\ud" not in text and "\\uD" not in text:
        return text, []
    lone: list[int] = []

    def mend(found: re.Match[str]) -> str:
        if len(found[0]) != 6 or found[0][1] != "u":
            return found[0]
        lone.append(found.start())
        return "\\ufffd"

    mended = re.sub(_ESCAPE, mend, text, flags=re.DOTALL)
    if not lone:
        return text, []
    line, column = Lines(text).at(lone[0])
    return mended, [Problem(f"half of a surrogate pair ({text[lone[0] : lone[0] + 6]})", line=line, column=column, severity="warning")]


def _count_members(text: str, limit: int) -> int:
    """An upper bound of the number of values in a JSON text, exact about strings where a rough count is over `limit`."""
    rough = text.count(",") + text.count("[") + text.count("{")
    if rough <= limit:
        return rough
    # backslashes stand in strings only, so without their pairs every second piece between quotes is outside strings
    pieces = text.replace("\\\\", "").replace('\\"', "").split('"')
    bare = "".join(pieces[::2])
    return bare.count(",") + bare.count("[") + bare.count("{")


def too_deep(data: Any, openers: int = limits.DEPTH + 1) -> bool:
    """Whether containers lie more than DEPTH deep in `data`; `openers` is an upper bound of their number that may spare the walk."""
    if openers <= limits.DEPTH:
        return False
    level, depth = [data] if isinstance(data, (dict, list)) else [], 0
    while level:
        members = (inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer))
        level = [inner for inner in members if isinstance(inner, (dict, list))]
        depth += 1
        if depth > limits.DEPTH:
            return True
    return False
