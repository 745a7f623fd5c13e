"""One file as read: its value, what is wrong with it as a file, and where in the text each value stands."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

Span = tuple[int, int, int, int]
"""Character offsets: key start, key end, value start, value end (ends exclusive); the key is -1, -1 for array elements and the root."""


class Spans(Protocol):
    """Finds spans by JSON pointer; a dict is one."""

    def get(self, pointer: str, /) -> Span | None:
        """The span of the value at the pointer, or None where the text has none."""


class Problem(NamedTuple):
    """What is wrong with a file as a file.

    `line` and `column` are 1-based and count code points; they are None where the file as a whole is meant. `code` is XF901, or XF905 for
    a key of xfcheck.yaml; `severity` is "error", "warning" or "info".
    """

    message: str
    pointer: str = ""
    line: int | None = None
    column: int | None = None
    help: str | None = None
    severity: str = "error"
    code: str = "XF901"


class Lines:
    """Offsets of a text as 1-based lines and columns; lines end at LF, so CR LF counts once."""

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] | None = None

    def _known(self) -> list[int]:
        if self._starts is None:
            starts, at = [0], self._text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self._text.find("\n", at + 1)
            self._starts = starts
        return self._starts

    def at(self, offset: int) -> tuple[int, int]:
        """(line, column), both 1-based and in code points, of a character offset."""
        starts = self._known()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def text(self, line: int) -> str | None:
        """A line by its 1-based number, without its end; None where there is no such line."""
        starts = self._known()
        if not 0 < line <= len(starts):
            return None
        end = starts[line] - 1 if line < len(starts) else len(self._text)
        return self._text[starts[line - 1] : end].removesuffix("\r")


class Document:
    """A file as read.

    `path` is the one the user gave, with forward slashes ("-" for standard input); `format` "json", "yaml", "toml", or "text" for a
    template; `text` the decoded characters without a byte order mark (`bom` says whether there was one); `data` the parsed value, None
    where it cannot be read; `problems` what is wrong, in order of position. Offsets index `text`.
    """

    __slots__ = ("_lines", "_make_spans", "_spans", "bom", "data", "format", "path", "problems", "text")

    def __init__(
        self,
        path: str,
        format: str,
        text: str,
        data: Any = None,
        problems: list[Problem] | None = None,
        *,
        spans: Callable[[], Spans] | None = None,
        bom: bool = False,
    ) -> None:
        self.path = path
        self.format = format
        self.text = text
        self.data = data
        self.problems: list[Problem] = problems if problems is not None else []
        self.bom = bom
        self._make_spans = spans
        self._spans: Spans | None = None
        self._lines: Lines | None = None

    def __repr__(self) -> str:
        return f"Document({self.path!r}, {self.format!r}, {len(self.problems)} problems)"

    def _find(self, pointer: str) -> Span | None:
        if self._spans is None:
            self._spans = self._make_spans() if self._make_spans is not None else {}
        return self._spans.get(pointer)

    def locate(self, pointer: str, *, key: bool = False) -> tuple[int, int] | None:
        """1-based (line, column) of the value at a JSON pointer, or of its key.

        Where the value is absent, the nearest parent that the text holds answers (its key, if `key`). None where the file has no
        positions at all. An array element and the root have no key: their value answers.
        """
        while True:
            present = resolve(self.data, pointer, _ABSENT) is not _ABSENT
            found = self._find(pointer) if present else None
            if found is not None:
                return self._line_map().at(found[0] if key and found[0] >= 0 else found[2])
            if not pointer:
                return None
            pointer = pointer.rpartition("/")[0]

    def _line_map(self) -> Lines:
        if self._lines is None:
            self._lines = Lines(self.text)
        return self._lines

    def line(self, number: int) -> str | None:
        """A line of the text by its 1-based number, without its end; None where there is no such line."""
        return self._line_map().text(number)

    def span(self, pointer: str, *, key: bool = False) -> tuple[int, int] | None:
        """Character offsets (start, exclusive end) in `text` of exactly this value, or of its key; None where the text does not hold it."""
        if resolve(self.data, pointer, _ABSENT) is _ABSENT:
            return None
        found = self._find(pointer)
        if found is None or (key and found[0] < 0):
            return None
        return (found[0], found[1]) if key else (found[2], found[3])


def escape(key: str) -> str:
    """One reference token of a pointer: "~" as "~0", "/" as "~1" (RFC 6901 section 3)."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def pointer_of(*keys: str | int) -> str:
    """JSON pointer (RFC 6901) of a path of object keys and array indexes; no keys give "", the whole document."""
    return "".join(f"/{escape(str(key))}" for key in keys)


_ABSENT = object()
_RAISE = object()


def resolve(data: Any, pointer: str, default: Any = _RAISE) -> Any:
    """The value that a JSON pointer (RFC 6901) names in `data`.

    Raises KeyError where there is none and no `default` is given, ValueError where the pointer is neither empty nor begins with "/".
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"a JSON pointer begins with a slash: {pointer!r}")
    for token in pointer.split("/")[1:]:
        step = token.replace("~1", "/").replace("~0", "~") if "~" in token else token
        if isinstance(data, dict) and step in data:
            data = data[step]
        elif isinstance(data, list) and _is_index(step) and int(step) < len(data):
            data = data[int(step)]
        elif default is not _RAISE:
            return default
        else:
            raise KeyError(pointer)
    return data


def _is_index(step: str) -> bool:
    # RFC 6901 section 4: no leading zeros; the length bound keeps int() from refusing a hostile run of digits
    return step.isascii() and step.isdigit() and len(step) < 10 and (step == "0" or step[0] != "0")
