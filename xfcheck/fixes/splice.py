"""One edit of a text by the spans of its document: a key or a value in place, a member put in or taken out with its comma or line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..documents.core_schema import plain_scalar
from ..documents.document import resolve
from .intended import NotApplicable

if TYPE_CHECKING:
    from ..documents.document import Document
    from ..rules._finding import Edit

_BARE = re.compile(r"[A-Za-z_][\w.-]*")


def spliced(document: Document, edit: Edit) -> str:
    """The text after the edit. Raises NotApplicable where the text has no such place, or writes it in a way that is not spliced."""
    text, present = document.text, document.span(edit.pointer)
    if edit.action == "rename":
        span = document.span(edit.pointer, key=True)
        if span is None:
            raise NotApplicable("no such key")
        return text[: span[0]] + _key(document, text[span[0] : span[1]], edit.value) + text[span[1] :]
    if edit.action == "set" and present is not None:
        return text[: present[0]] + _value(document, edit.value, text[present[0] : present[1]]) + text[present[1] :]
    if edit.action == "set":
        return _added(document, edit)
    return _deleted(document, edit.pointer)


def _key(document: Document, old: str, name: str) -> str:
    if document.format != "json" and not old.startswith(('"', "'")) and _BARE.fullmatch(name) and plain_scalar(name) == name:
        return name
    return f"'{name}'" if old.startswith("'") and "'" not in name else json.dumps(name, ensure_ascii=False)


def _value(document: Document, value: Any, old: str = "") -> str:
    if document.format == "toml" and (value is None or isinstance(value, dict)):
        raise NotApplicable("TOML has no such value")
    if isinstance(value, str) and document.format == "yaml" and not old.startswith('"'):
        if old.startswith("'") and "'" not in value:
            return f"'{value}'"
        if _BARE.fullmatch(value) and plain_scalar(value) == value:
            return value
    return json.dumps(value, ensure_ascii=False)


def _added(document: Document, edit: Edit) -> str:
    """A new member behind the last of its object, indented like it."""
    text, (parent, _, token) = document.text, edit.pointer.rpartition("/")
    holder = resolve(document.data, parent, None)
    if not isinstance(holder, dict) or not holder:
        raise NotApplicable("no object with members to put it in")
    name = token.replace("~1", "/").replace("~0", "~")
    last = list(holder)[-1].replace("~", "~0").replace("/", "~1")
    key, value = document.span(f"{parent}/{last}", key=True), document.span(f"{parent}/{last}")
    if key is None or value is None:
        raise NotApplicable("the last member has no place")
    begin = text.rfind("\n", 0, key[0]) + 1
    indent = text[begin : key[0]]
    if document.format == "json" or _in_flow(document, parent):
        gap = text[begin - 2 if text[: begin - 1].endswith("\r") else begin - 1 : key[0]] if begin and not indent.strip() else " "
        return text[: value[1]] + f",{gap}{_key(document, text[key[0] : key[1]], name)}: {_value(document, edit.value)}" + text[value[1] :]
    if indent.strip() or document.format != "yaml":
        raise NotApplicable("the last member does not begin its line")
    end = text.find("\n", value[1])
    end = len(text) if end < 0 else end
    return text[:end] + f"\n{indent}{_key(document, text[key[0] : key[1]], name)}: {_value(document, edit.value)}" + text[end:]


def _in_flow(document: Document, pointer: str) -> bool:
    span = document.span(pointer)
    return span is not None and document.text[span[0] : span[0] + 1] in ("{", "[")


def _deleted(document: Document, pointer: str) -> str:
    text = document.text
    key, value = document.span(pointer, key=True), document.span(pointer)
    if key is None or value is None:
        raise NotApplicable("no such key")
    if document.format == "json" or _in_flow(document, pointer.rpartition("/")[0]):
        return _without_member(text, key[0], value[1])
    begin = text.rfind("\n", 0, key[0]) + 1
    end = text.find("\n", value[1])
    if text[begin : key[0]].strip():
        raise NotApplicable("the member does not begin its line")
    return text[:begin] + ("" if end < 0 else text[end + 1 :])


def _without_member(text: str, start: int, end: int) -> str:
    """A member of `{...}` taken out: with the comma behind it and up to the next member, or as the last one with the comma before it."""
    behind = re.compile(r"\s*,\s*").match(text, end)
    if behind is not None:
        return text[:start] + text[behind.end() :]
    before = text[:start].rstrip()
    if before.endswith(","):
        return before[:-1] + text[end:]
    return before + text[end:].lstrip()
