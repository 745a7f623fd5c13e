"""The calls of a Python training script as keys: the script is parsed and never run."""

from __future__ import annotations

import ast
from typing import Any

from ..documents.document import Span, escape
from .recipe import UNKNOWN

LONGEST = 500_000
"""Characters of a script that are looked at."""


def read_calls(text: str) -> tuple[dict[str, Any], dict[str, Span]] | None:
    """({name of what is called: {argument: value}}, {pointer: span}); null for a text that is no Python.

    The first call of a name counts, `**` is an argument of one that unpacks a dictionary, positional arguments are `0`, `1`. What is
    assigned to an attribute (`tokenizer.pad_token`) stands below the object's name; an attribute of another object is the last part of
    its name. A value is known where it is written out, or where the script assigns a written-out value to the name once; others are
    UNKNOWN.
    """
    try:
        tree = ast.parse(text[:LONGEST])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = [0]
    for line in text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)
    names = _assigned(tree)
    data: dict[str, Any] = {}
    spans: dict[str, Span] = {"": (-1, -1, 0, min(len(text), 1))}
    guarded = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            _attribute(node, data, spans, lines, text, names, guarded=id(node) in guarded)
        if not isinstance(node, ast.Call):
            continue
        name = _called(node.func)
        if name is None or name in data:
            continue
        found: dict[str, Any] = {}
        data[name], pointer = found, f"/{escape(name)}"
        spans[pointer] = (-1, -1, *_span(node, lines, text))
        given = [(str(i), a) for i, a in enumerate(node.args)] + [(k.arg, k.value) for k in node.keywords if k.arg is not None]
        for key, argument in given:
            found[key] = _value(argument, names)
            start, end = _span(argument, lines, text)
            spans[f"{pointer}/{escape(key)}"] = (-1, -1, start, end)
        if any(k.arg is None for k in node.keywords):
            found["**"] = UNKNOWN
    return data, spans


def _attribute(
    node: ast.Assign,
    data: dict[str, Any],
    spans: dict[str, Span],
    lines: list[int],
    text: str,
    names: dict[str, Any],
    *,
    guarded: bool,
) -> None:
    """`tokenizer.pad_token = tokenizer.eos_token`: {"tokenizer": {"pad_token": "eos_token"}}, with `pad_token?` true below an `if`."""
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return
    given = node.value
    if isinstance(given, ast.Attribute):  # of the same object: an attribute of another is not known
        same = isinstance(given.value, ast.Name) and given.value.id == target.value.id
        value = given.attr if same else UNKNOWN
    else:
        value = _value(given, names)
    found = data.setdefault(target.value.id, {})
    if value is UNKNOWN or not isinstance(found, dict):
        return
    found[target.attr] = value
    if guarded:
        found[f"{target.attr}?"] = True
    pointer = f"/{escape(target.value.id)}"
    spans.setdefault(pointer, (-1, -1, *_span(target.value, lines, text)))
    spans[f"{pointer}/{escape(target.attr)}"] = (-1, -1, *_span(node.value, lines, text))


def _called(function: ast.expr) -> str | None:
    """The name of what is called: `SFTConfig`, `FastLanguageModel.from_pretrained`."""
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute):
        inner = function.value
        return f"{inner.id}.{function.attr}" if isinstance(inner, ast.Name) else function.attr
    return None


def _assigned(tree: ast.Module) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            seen[name] = UNKNOWN if name in seen else _value(node.value, {})
    return seen


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return names.get(node.id, UNKNOWN)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN


def _span(node: ast.expr, lines: list[int], text: str) -> tuple[int, int]:
    """Character offsets of a node; its columns count bytes of UTF-8."""

    def offset(line: int, column: int) -> int:
        start = lines[line - 1]
        row = text[start : lines[line] - 1]
        return start + (column if row.isascii() else len(row.encode()[:column].decode("utf-8", "ignore")))

    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return offset(node.lineno, node.col_offset), offset(end_line, end_column)
