"""Finds one value in a long, well-formed JSON text by skipping over everything else, with no map kept."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xfcheck.documents.document import Span

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SPACE = re.compile(r"[ \t\n\r]*+")
_KEY = re.compile(rf"[ \t\n\r]*+({_STRING})[ \t\n\r]*+:[ \t\n\r]*+", re.DOTALL)
_SCALAR = re.compile(rf"{_STRING}|[^][{{}},:\s]++", re.DOTALL)
_BRACKET = re.compile(rf"{_STRING}|[][{{}}]", re.DOTALL)


class Search:
    """Spans by JSON pointer in `text`, each found by one pass over the text (about 20 MB/s)."""

    __slots__ = ("_known", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, Span | None] = {}

    def get(self, pointer: str, /) -> Span | None:
        """The span of the value at `pointer`; of a duplicate key the last one. None where there is no such value."""
        if pointer not in self._known:
            self._known[pointer] = self._search(pointer)
        return self._known[pointer]

    def _search(self, pointer: str) -> Span | None:
        start = self._space(0)
        if not pointer:
            return (-1, -1, start, self._end(start))
        parent, _, token = pointer.rpartition("/")
        outer = self.get(parent)
        if outer is None:
            return None
        step = token.replace("~1", "/").replace("~0", "~")
        if self._text[outer[2]] == "{":
            return self._member(outer[2] + 1, step)
        if self._text[outer[2]] == "[" and step.isdigit():
            return self._element(outer[2] + 1, int(step))
        return None

    def _member(self, at: int, step: str) -> Span | None:
        found: Span | None = None
        while (key := _KEY.match(self._text, at)) is not None:
            end = self._end(key.end())
            raw = key[1]
            if (json.loads(raw) if "\\" in raw else raw[1:-1]) == step:
                found = (key.start(1), key.end(1), key.end(), end)
            at = self._space(end)
            if self._text[at] != ",":
                break
            at += 1
        return found

    def _element(self, at: int, index: int) -> Span | None:
        while True:
            at = self._space(at)
            if self._text[at] == "]":
                return None
            end = self._end(at)
            if index == 0:
                return (-1, -1, at, end)
            index -= 1
            at = self._space(end)
            if self._text[at] != ",":
                return None
            at += 1

    def _space(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found is not None else at

    def _end(self, at: int) -> int:
        """Offset after the value that starts at `at`."""
        if self._text[at] not in "[{":
            found = _SCALAR.match(self._text, at)
            return found.end() if found is not None else at
        depth = 0
        for token in _BRACKET.finditer(self._text, at):
            char = token[0]
            if char in "[{":
                depth += 1
            elif char in "]}":
                depth -= 1
                if depth == 0:
                    return token.end()
        return len(self._text)
