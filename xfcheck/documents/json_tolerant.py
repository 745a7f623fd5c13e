"""A forgiving JSON reader with positions: for files that the strict one refuses, and for the place of every value in those it accepts.

It follows RFC 8259 and accepts beyond it what has one plain meaning: comments, trailing and missing commas, tabs in strings, NaN and
Infinity, Python's None, True and False, single quotes. Each is a problem with its place. Nothing recurses: depth is a list.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from xfcheck.documents import limits
from xfcheck.documents.document import Lines, Problem, Span, escape
from xfcheck.documents.json_diagnosis import diagnose
from xfcheck.documents.json_reader import NON_FINITE, special_float
from xfcheck.documents.json_tokens import CONTROL, SPACE, TOKEN, WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

_VALUE, _VALUE_OR_END, _KEY, _KEY_OR_END, _COLON, _COMMA, _DONE = range(7)


class _Stop(Exception):  # noqa: N818  it ends the reading, it is no error of the program
    """Nothing after this place can be read."""


class Tolerant:
    """The result of reading `text`: `value` (None if `failed`), `problems`, and `spans` by JSON pointer.

    At most `elements` values are read. After PROBLEMS problems the reader gives up (`gave_up`), unless it is `patient`.
    """

    def __init__(self, text: str, *, elements: int = limits.ELEMENTS, patient: bool = False) -> None:
        self.text = text
        self.value: Any = None
        self.failed = False
        self.gave_up = False
        self._patient = patient
        self.problems: list[Problem] = []
        self.spans: dict[str, Span] = {}
        self._room = elements
        self._lines = Lines(text)
        self._once: set[str] = set()
        # one frame a container that is open: container, its pointer, where it starts, pending key, key start, key end
        self._stack: list[list[Any]] = []
        self._state = _VALUE
        self._comma = 0
        try:
            self._run()
        except _Stop:
            self.failed, self.value = True, None

    def _problem(self, offset: int, message: str, help: str | None = None, *, severity: str = "error", pointer: str = "") -> None:
        if len(self.problems) < limits.PROBLEMS:
            line, column = self._lines.at(offset)
            self.problems.append(Problem(message, pointer, line, column, help, severity))
        elif not self._patient:
            self.gave_up = True
            line, column = self._lines.at(offset)
            self.problems.append(Problem("more problems than these are not listed", "", line, column, severity=severity))
            raise _Stop

    def _stop(self, offset: int, message: str, help: str | None = None) -> _Stop:
        line, column = self._lines.at(offset)
        self.problems.append(Problem(message, "", line, column, help))
        return _Stop()

    def _run(self) -> None:
        at, match = 0, TOKEN.match
        steps: dict[str, Callable[[int, int], None]] = {
            "string": self._string, "number": self._number, "word": self._word, "single": self._single, "comment": self._comment,
        }  # fmt: skip
        while True:
            found = match(self.text, at)
            if found is None or found.lastgroup is None:
                raise self._unreadable(at)
            kind = found.lastgroup
            start, at = found.span(kind)
            if kind == "end":
                self._finish(start)
                return
            if self._state == _DONE and kind != "comment":
                raise self._stop(start, "there is text after the end of the value", "a JSON file holds one value: remove the rest")
            if kind == "punct":
                self._punct(start, self.text[start])
            else:
                steps[kind](start, at)

    def _finish(self, at: int) -> None:
        if self._stack:
            frame = self._stack[-1]
            what = "object" if isinstance(frame[0], dict) else "array"
            line = self._lines.at(frame[2])[0]
            text = f"the file ends inside the {what} that begins on line {line}"
            raise self._stop(max(len(self.text.rstrip()) - 1, 0), text, "it is cut off, or a closing bracket is missing")
        if self._state != _DONE:
            raise self._stop(at, "the file holds no value", "an empty object is written {}")

    def _punct(self, start: int, char: str) -> None:
        state = self._state
        if char in "]}":
            self._close(start, char)
        elif char == "," and state == _COMMA:
            self._state = _KEY if isinstance(self._stack[-1][0], dict) else _VALUE
            self._comma = start
        elif char == ":" and state == _COLON:
            self._state = _VALUE
        elif char in "[{":
            self._accept_value(start)
            if len(self._stack) >= limits.DEPTH:
                raise self._stop(start, f"nested deeper than {limits.DEPTH} levels", "no Transformer config needs that")
            self._open(start, char)
        else:
            raise self._stop(start, f"unexpected {char!r}: {self._expected()}")

    def _open(self, start: int, char: str) -> None:
        pointer = self._pointer()
        self._count(start)
        self._stack.append([{} if char == "{" else [], pointer, start, "", -1, -1])
        self._state = _KEY_OR_END if char == "{" else _VALUE_OR_END

    def _close(self, start: int, char: str) -> None:
        if not self._stack:
            raise self._stop(start, f"unexpected {char!r}: nothing is open")
        container, _, begin, *_ = self._stack[-1]
        if (char == "}") != isinstance(container, dict):
            line = self._lines.at(begin)[0]
            raise self._stop(start, f"{char!r} does not close the bracket that opens on line {line}")
        trailing = self._state == (_KEY if char == "}" else _VALUE)
        if trailing:
            self._problem(self._comma, "trailing comma", "JSON has no comma after the last element: remove it")
        elif self._state not in (_COMMA, _KEY_OR_END, _VALUE_OR_END):
            raise self._stop(start, f"unexpected {char!r}: {self._expected()}")
        self._stack.pop()
        self._attach(special_float(container) if isinstance(container, dict) else container, begin, start + 1)

    def _pointer(self) -> str:
        if not self._stack:
            return ""
        frame = self._stack[-1]
        step = escape(frame[3]) if isinstance(frame[0], dict) else str(len(frame[0]))
        return f"{frame[1]}/{step}"

    def _accept_value(self, start: int) -> None:
        """Check that a value may stand here; a missing comma is reported and supplied."""
        if self._state == _COMMA and isinstance(self._stack[-1][0], list):
            self._missing_comma(start)
        elif self._state not in (_VALUE, _VALUE_OR_END):
            raise self._stop(start, f"a value stands where {self._expected()}")

    def _missing_comma(self, start: int) -> None:
        end = start
        while self.text[end - 1] in " \t\n\r":
            end -= 1
        self._problem(end, "missing comma", "elements are separated by commas")

    def _count(self, start: int) -> None:
        self._room -= 1
        if self._room < 0:
            raise self._stop(start, "too many values for a config")

    def _attach(self, value: Any, start: int, end: int) -> None:
        pointer = self._pointer()
        if not self._stack:
            self.value, self._state = value, _DONE
            self.spans[""] = (-1, -1, start, end)
            return
        frame = self._stack[-1]
        container = frame[0]
        if isinstance(container, dict):
            container[frame[3]] = value
            self.spans[pointer] = (frame[4], frame[5], start, end)
        else:
            container.append(value)
            self.spans[pointer] = (-1, -1, start, end)
        self._state = _COMMA

    def _scalar(self, value: Any, start: int, end: int) -> None:
        self._accept_value(start)
        self._count(start)
        self._attach(value, start, end)

    def _string(self, start: int, end: int) -> None:
        self._text(self._decode(start, end), start, end)

    def _text(self, value: str, start: int, end: int) -> None:
        """A string token whose characters are known: a key where a key may stand, else a value."""
        if self._state == _COMMA and isinstance(self._stack[-1][0], dict):
            self._missing_comma(start)
            self._state = _KEY
        if self._state not in (_KEY, _KEY_OR_END):
            self._scalar(value, start, end)
            return
        frame = self._stack[-1]
        frame[3], frame[4], frame[5] = value, start, end
        if value in frame[0]:
            pointer = self._pointer()
            line = self._lines.at(self.spans[pointer][0])[0]
            text = f"duplicate key {json.dumps(value)}: it stands on line {line} too, and readers take this last one"
            self._problem(start, text, pointer=pointer)
        self._state = _COLON

    def _decode(self, start: int, end: int) -> str:
        raw = self.text[start + 1 : end - 1]
        control = CONTROL.search(raw)
        if control is not None:
            name = "tab" if control[0] == "\t" else f"control character U+{ord(control[0]):04X}"
            escape_help = "write it as \\t" if control[0] == "\t" else f"write it as \\u{ord(control[0]):04x}"
            self._problem(start + 1 + control.start(), f"{name} inside a string", escape_help)
        if "\\" not in raw:
            return raw
        try:
            return str(json.loads(self.text[start:end], strict=False))
        except json.JSONDecodeError as error:
            told = 'after a backslash JSON allows only " \\ / b f n r t u: double the backslash'
            self._problem(start + error.pos, "bad escape in a string", told)
            return raw

    def _single(self, start: int, end: int) -> None:
        if "single" not in self._once:
            self._once.add("single")
            self._problem(start, "single quotes", "JSON strings take double quotes: json.dump writes them, print does not")
        self._text(re.sub(r"\\(['\"\\])", r"\1", self.text[start + 1 : end - 1]), start, end)

    def _number(self, start: int, end: int) -> None:
        raw = self.text[start:end]
        if raw.lstrip("-").isdigit():
            if len(raw) > limits.INTEGER_DIGITS:
                raise self._stop(start, f"an integer of {len(raw)} characters", "no count or id is that large")
            self._scalar(int(raw), start, end)
            return
        value = float(raw)
        self._scalar(value, start, end)
        if value in (float("inf"), float("-inf")):
            text = f"{raw[:20]} is beyond the range of a double and is read as infinity"
            self._problem(start, text, severity="warning", pointer=self._last())

    def _word(self, start: int, end: int) -> None:
        raw = self.text[start:end]
        if raw in NON_FINITE:
            self._scalar(NON_FINITE[raw], start, end)
            text = "JSON has no such number: strict readers refuse the file"
            self._problem(start, f"{raw} literal", text, severity="warning", pointer=self._last())
            return
        self._scalar(WORDS[raw], start, end)
        if raw[0] in "NTF" and raw not in self._once:
            self._once.add(raw)
            self._problem(start, f"Python's {raw}", f"JSON writes {json.dumps(WORDS[raw])}", pointer=self._last())

    def _last(self) -> str:
        """Pointer of the value that was attached last."""
        if not self._stack:
            return ""
        frame = self._stack[-1]
        return f"{frame[1]}/{escape(frame[3]) if isinstance(frame[0], dict) else len(frame[0]) - 1}"

    def _comment(self, start: int, end: int) -> None:
        if end - start:
            self._problem(start, "comment", "JSON has no comments: strict readers refuse the file")

    def _expected(self) -> str:
        inside = bool(self._stack) and isinstance(self._stack[-1][0], dict)
        return {
            _VALUE: "a value is expected",
            _VALUE_OR_END: "a value or ']' is expected",
            _KEY: "a key in double quotes is expected",
            _KEY_OR_END: "a key in double quotes or '}' is expected",
            _COLON: "':' is expected",
            _COMMA: f"',' or {'}' if inside else ']'!r} is expected",
            _DONE: "the end of the file is expected",
        }[self._state]

    def _unreadable(self, at: int) -> _Stop:
        found = SPACE.match(self.text, at)
        at = found.end() if found is not None else at
        key = self._state in (_KEY, _KEY_OR_END)
        return self._stop(at, *diagnose(self.text[at : at + 80], self._expected(), key=key))
