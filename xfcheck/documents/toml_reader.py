"""TOML by the standard library; dates become texts, positions come from the error message and from a scan of the keys."""

from __future__ import annotations

import re
from typing import Any

from xfcheck.documents import limits
from xfcheck.documents.document import Lines, Problem, Span, pointer_of
from xfcheck.documents.json_reader import too_deep

_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# tomllib copies a prefix for every part of a dotted key: quadratic
_LONG_KEY = re.compile(rf"(?<![\w\"'.-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{limits.DEPTH}}}")
_HEADER = re.compile(r"\s*(\[{1,2})\s*([^\[\]\n]+?)\s*\]{1,2}\s*(?:#.*)?$")
_PAIR = re.compile(r"""\s*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:\s*\.\s*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*)\s*=\s*""")
_PART = re.compile(r"""[\w-]+|"[^"\n]*"|'[^'\n]*'""")


def read_toml(text: str, *, elements: int = limits.ELEMENTS) -> tuple[Any, list[Problem]]:
    """The value of a TOML text and its problems; the value is None where the text cannot be read."""
    import tomllib

    long_key = _LONG_KEY.search(text)
    if long_key is not None:
        line, column = Lines(text).at(long_key.start())
        return None, [Problem(f"a key of more than {limits.DEPTH} parts", line=line, column=column)]
    try:
        data: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, [_syntax(text, str(error))]
    except RecursionError:
        return None, [Problem(f"nested deeper than {limits.DEPTH} levels")]
    except ValueError as error:
        return None, [Problem(f"not read as a number: {error}".partition(";")[0])]
    problem = _over_limit(data, elements)
    return (None, [problem]) if problem is not None else (data, [])


def _syntax(text: str, message: str) -> Problem:
    found = _WHERE.search(message)
    if found is None:
        return Problem(message)
    if found[1] is None:
        line, column = Lines(text).at(max(len(text) - 1, 0))
        return Problem(message[: found.start()], line=line, column=column, help="the file ends too early")
    return Problem(message[: found.start()], line=int(found[1]), column=int(found[2]))


def _over_limit(data: Any, elements: int) -> Problem | None:
    """Check depth, number of values and length of integers; writes dates as texts in place."""
    if too_deep(data):
        return Problem(f"nested deeper than {limits.DEPTH} levels")
    todo, count = [data], 0
    while todo:
        outer = todo.pop()
        count += len(outer)
        if count > elements:
            return Problem(f"more than {elements:,} values")
        for key, value in outer.items() if isinstance(outer, dict) else enumerate(outer):
            if isinstance(value, (dict, list)):
                todo.append(value)
            elif isinstance(value, int) and value.bit_length() > 3.33 * limits.INTEGER_DIGITS:
                return Problem(f"an integer of more than {limits.INTEGER_DIGITS} digits", pointer_of(key))
            elif hasattr(value, "isoformat"):
                outer[key] = value.isoformat()
    return None


def toml_spans(text: str) -> dict[str, Span]:
    """Spans of the keys that stand at the start of a line, and of their values as far as their line goes.

    Members of inline tables and arrays have none of their own: their key answers. Of equal keys inside multi-line strings the first wins.
    """
    spans: dict[str, Span] = {"": (-1, -1, 0, len(text))}
    table: list[str | int] = []
    counts: dict[str, int] = {}
    at = 0
    for line in text.split("\n"):
        header = _HEADER.match(line)
        pair = _PAIR.match(line)
        if header is not None:
            table = _keys(header[2])
            if header[1] == "[[":
                pointer = pointer_of(*table)
                counts[pointer] = counts.get(pointer, -1) + 1
                table.append(counts[pointer])
            start, end = at + header.start(2), at + header.end(2)
            spans.setdefault(pointer_of(*table), (start, end, start, end))
        elif pair is not None:
            value = line[pair.end() :].partition(" #")[0].rstrip()
            start = at + pair.end()
            spans.setdefault(pointer_of(*table, *_keys(pair[1])), (at + pair.start(1), at + pair.end(1), start, start + len(value)))
        at += len(line) + 1
    return spans


def _keys(dotted: str) -> list[str | int]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]
