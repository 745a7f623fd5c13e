"""YAML 1.2 from the parser events of PyYAML: no object is constructed, no tag is obeyed, nothing recurses, positions come for free.

libyaml is used where PyYAML has it. Values are JSON values: keys are texts, as they are in a config.json, and scalars follow the core
schema. An alias shares the value it names; what aliases expand to is bounded. The merge key `<<` is honoured, as common readers do.
"""

from __future__ import annotations

import json
from typing import Any

from xfcheck.documents import limits
from xfcheck.documents.core_schema import plain_scalar, whole
from xfcheck.documents.document import Lines, Problem, Span, escape

_PREFIX = "tag:yaml.org,2002:"
_KNOWN_TAGS = frozenset(_PREFIX + name for name in ("str", "int", "float", "bool", "null", "seq", "map"))


class _Stop(Exception):  # noqa: N818  it ends the reading, it is no error of the program
    """Nothing after this place is read; the problem is noted."""


class _Frame:
    """A container that is open: its value, pointer, pending key, how many nodes and levels it spans, where it began."""

    __slots__ = ("anchor", "end", "flow", "height", "key", "key_span", "merges", "pointer", "size", "start", "value")

    def __init__(self, value: Any, pointer: str, event: Any) -> None:
        self.value: Any = value
        self.pointer = pointer
        self.anchor: str | None = event.anchor
        self.start: int = event.start_mark.index
        self.end: int = event.end_mark.index
        self.flow = bool(event.flow_style)
        self.key: str | None = None
        self.key_span = (-1, -1)
        self.merges: list[Any] = []
        self.size = 1
        self.height = 1


class YamlText:
    """The first document of a YAML text: `value`, `problems`, `spans` by JSON pointer; `failed` where it cannot be read."""

    def __init__(self, text: str, *, elements: int = limits.ELEMENTS) -> None:
        self.text = text
        self.value: Any = None
        self.failed = False
        self.problems: list[Problem] = []
        self.spans: dict[str, Span] = {}
        self._lines = Lines(text)
        self._limit = elements
        self._total = 0
        self._aliases = 0
        self._documents = 0
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        try:
            self._run()
        except _Stop:
            self.failed, self.value = True, None

    def _problem(self, offset: int, message: str, help: str | None = None, *, pointer: str = "", severity: str = "error") -> None:
        if len(self.problems) < limits.PROBLEMS:
            self.problems.append(Problem(message, pointer, *self._lines.at(offset), help, severity))

    def _stop(self, offset: int, message: str, help: str | None = None) -> _Stop:
        self.problems.append(Problem(message, "", *self._lines.at(offset), help))
        return _Stop()

    def _run(self) -> None:
        import yaml

        loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
        try:
            for count, event in enumerate(yaml.parse(self.text, Loader=loader)):
                if count > limits.YAML_EVENTS:
                    mark: Any = event.start_mark
                    raise self._stop(mark.index, f"more than {limits.YAML_EVENTS:,} YAML events", "no config is that long")
                if not self._event(event, yaml):
                    return
        except yaml.reader.ReaderError as error:
            # libyaml counts bytes, the Python reader characters: the character itself says where
            code = error.character if isinstance(error.character, int) else ord(str(error.character)[:1] or " ")
            raise self._stop(max(self.text.find(chr(code)), 0), f"a character that YAML does not allow (U+{code:04X})") from error
        except yaml.MarkedYAMLError as error:
            raise self._syntax(error) from error
        except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
            raise self._stop(0, f"not YAML: {error}") from error

    def _syntax(self, error: Any) -> _Stop:
        mark = error.problem_mark or error.context_mark
        at = min(mark.index, len(self.text)) if mark is not None else 0
        text = str(error.problem or error.context or "not YAML")
        tab = self.text[at : at + 1] == "\t" or "\\t" in text or "'\t'" in text
        advice = "YAML is indented with spaces, never with tabs" if tab else None
        if self.text.startswith(("<<<<<<<", "=======", ">>>>>>>"), self.text.rfind("\n", 0, at) + 1):
            text, advice = "a merge conflict is left in the file", "take one of the two sides and remove the markers"
        return self._stop(at, "a tab where YAML takes spaces" if tab else text, advice)

    def _event(self, event: Any, yaml: Any) -> bool:
        """Take one event; False where the reading ends before the text does."""
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._open(event, {} if isinstance(event, yaml.MappingStartEvent) else [])
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._close(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._problem(event.start_mark.index, "a second YAML document", "only the first is read: put each into a file of its own")
                return False
        return True

    def _awaits_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1].value, dict) and self._stack[-1].key is None

    def _tag(self, event: Any) -> str | None:
        tag: str | None = event.tag
        if tag is None or tag == "!":
            return None
        if tag not in _KNOWN_TAGS:
            shown = tag.replace(_PREFIX, "!!")
            self._problem(event.start_mark.index, f"the tag {shown} is not obeyed", "a config holds plain values only")
        return tag

    def _open(self, event: Any, value: Any) -> None:
        at = event.start_mark.index
        if self._awaits_key():
            raise self._stop(at, "a mapping or a sequence as a key", "keys are texts; a template {{...}} needs quotes")
        if len(self._stack) >= limits.DEPTH:
            raise self._stop(at, f"nested deeper than {limits.DEPTH} levels", "no Transformer config needs that")
        self._tag(event)
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)
        self._stack.append(_Frame(value, self._pointer(), event))

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        for merged in reversed(frame.merges):
            for key, value in merged.items():
                frame.value.setdefault(key, value)
        end = event.end_mark.index if frame.flow else frame.end
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (frame.value, frame.size, frame.height)
        self._attach(frame.value, frame.start, end, frame.size, frame.height)

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if event.style in ("|", ">"):
            end = start + len(self.text[start:end].rstrip())
        if self._awaits_key():
            self._key(event.value, start, end, plain=not event.style)
            return
        value = self._value(event, start)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1, 0)
        self._attach(value, start, end, 1, 0)

    def _value(self, event: Any, start: int) -> Any:
        tag, text = self._tag(event), event.value
        plain = not event.style and event.tag is None
        try:
            if tag is None:
                value = plain_scalar(text) if plain else text
            elif tag == _PREFIX + "int":
                value = whole(text)
            elif tag == _PREFIX + "float":
                value = float(plain_scalar(text) or 0)
            elif tag in (_PREFIX + "bool", _PREFIX + "null"):
                value = plain_scalar(text)
            else:
                value = text
        except (ValueError, TypeError) as error:
            self._problem(start, f"not read as a number: {error}", pointer=self._pointer())
            return None
        if isinstance(value, float) and value in (float("inf"), float("-inf")) and "inf" not in text.lower():
            self._problem(start, f"{text[:20]} is beyond the range of a double", severity="warning", pointer=self._pointer())
        return value

    def _key(self, key: str, start: int, end: int, *, plain: bool) -> None:
        frame = self._stack[-1]
        frame.key, frame.key_span = key, (start, end)
        if key in frame.value and not (plain and key == "<<"):
            pointer = self._pointer()
            line = self._lines.at(self.spans[pointer][0])[0]
            text = f"duplicate key {json.dumps(key)}: it stands on line {line} too, and readers take this last one"
            self._problem(start, text, pointer=pointer)

    def _alias(self, event: Any) -> None:
        at, name = event.start_mark.index, event.anchor
        self._aliases += 1
        if self._aliases > limits.YAML_ALIASES:
            raise self._stop(at, f"more than {limits.YAML_ALIASES} aliases", "write the values out")
        if name not in self._anchors:
            inside = any(frame.anchor == name for frame in self._stack)
            raise self._stop(at, f"the alias *{name} stands inside its own anchor" if inside else f"the alias *{name} names no anchor")
        value, size, height = self._anchors[name]
        if self._awaits_key():
            if isinstance(value, (dict, list)):
                raise self._stop(at, "a mapping or a sequence as a key", "keys are texts")
            self._key(str(value), at, event.end_mark.index, plain=False)
            return
        if len(self._stack) + height > limits.DEPTH:
            raise self._stop(at, f"nested deeper than {limits.DEPTH} levels through the alias *{name}")
        self._attach(value, at, event.end_mark.index, size, height)

    def _pointer(self) -> str:
        if not self._stack:
            return ""
        frame = self._stack[-1]
        return f"{frame.pointer}/{escape(frame.key) if frame.key is not None else len(frame.value)}"

    def _attach(self, value: Any, start: int, end: int, size: int, height: int) -> None:
        pointer = self._pointer()
        if not self._stack:
            self.value, self.spans[""] = value, (-1, -1, start, end)
            return
        frame = self._stack[-1]
        frame.size += size
        frame.end = end
        frame.height = max(frame.height, height + 1)
        if frame.size > self._limit:
            text = f"more than {self._limit:,} values, with aliases written out"
            raise self._stop(start, text, "write the values out: aliases multiply here")
        if isinstance(frame.value, list):
            frame.value.append(value)
            self.spans[pointer] = (-1, -1, start, end)
            return
        key, frame.key = frame.key, None
        merged = value if isinstance(value, list) else [value]
        if key == "<<" and merged and all(isinstance(each, dict) for each in merged):
            frame.merges.extend(reversed(merged))
            return
        frame.value[key] = value
        self.spans[pointer] = (*frame.key_span, start, end)
