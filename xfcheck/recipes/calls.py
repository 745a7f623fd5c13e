"""The calls of a Python training script as keys: the script is parsed and never run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ..documents.document import Span, escape
from .recipe import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 200_000
"""Characters of a script that are looked at."""
DIGITS = 12
"""Digits of the operands of arithmetic that is carried out (`4 * 1024`)."""
LIBRARIES = ("trl", "transformers", "unsloth")
"""Modules before whose names `module.` is left out."""
_SIGNS: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b if b else UNKNOWN,
}


def read_calls(text: str) -> tuple[dict[str, Any], dict[str, Span]] | None:
    """({name of what is called: {argument: value}}, {pointer: span}); null for a text that is no Python.

    The first call of a name counts, `**` is an argument of one that unpacks a dictionary, positional arguments are `0`, `1`. What is
    assigned to an attribute (`tokenizer.pad_token`) stands below the object's name, or is an argument of the call that made the object;
    an attribute of the same object is the last part of its name. A value is known where it is written out, or where the script assigns a
    written-out value to the name once; others are UNKNOWN.
    """
    try:
        tree = ast.parse(text[:LONGEST])
        nodes = list(_nodes(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    reader = _Reader(text, _assigned(nodes))
    for node, guarded in nodes:
        if isinstance(node, ast.Call):
            reader.call(node)
        elif isinstance(node, ast.Assign):
            reader.attribute(node, guarded=guarded)
    reader.merge()
    return reader.data, reader.spans


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """Every node in the order of the text, and whether it stands below an `if`."""
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, guarded = stack.pop()
        yield node, guarded
        below = guarded or isinstance(node, ast.If)
        stack.extend((child, below) for child in reversed(list(ast.iter_child_nodes(node))))


class _Reader:
    """Calls and attributes with their places."""

    def __init__(self, text: str, names: dict[str, Any]) -> None:
        self.text, self.names = text, names
        self.data: dict[str, Any] = {}
        self.spans: dict[str, Span] = {"": (-1, -1, 0, min(len(text), 1))}
        self.made: dict[str, str] = {}
        self.lines = [0]
        for line in text.split("\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def call(self, node: ast.Call) -> None:
        name = _called(node.func)
        if name is None or name in self.data:
            return
        self.data[name] = found = {}
        pointer = f"/{escape(name)}"
        self._place(pointer, node)
        given = [(str(i), a) for i, a in enumerate(node.args)] + [(k.arg, k.value) for k in node.keywords if k.arg is not None]
        for key, argument in given:
            found[key] = _value(argument, self.names)
            self._place(f"{pointer}/{escape(key)}", argument)
        if any(k.arg is None for k in node.keywords):
            found["**"] = UNKNOWN

    def attribute(self, node: ast.Assign, *, guarded: bool) -> None:
        """`tokenizer.pad_token = tokenizer.eos_token`: {"tokenizer": {"pad_token": "eos_token"}}, with `pad_token?` true below an `if`."""
        target, given = node.targets[0], node.value
        if isinstance(target, ast.Name) and isinstance(given, ast.Call) and (name := _called(given.func)) is not None:
            self.made[target.id] = name
        if len(node.targets) != 1 or not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
            return
        owner = target.value.id
        if isinstance(given, ast.Attribute):  # of the same object: an attribute of another is not known
            same = isinstance(given.value, ast.Name) and given.value.id == owner
            value: Any = given.attr if same else UNKNOWN
        else:
            value = _value(given, self.names)
        found = self.data.setdefault(owner, {})
        found[target.attr] = value
        if guarded:
            found[f"{target.attr}?"] = True
        self._place(f"/{escape(owner)}/{escape(target.attr)}", given)

    def merge(self) -> None:
        """What is assigned to a config after it was made is an argument of it; what `from_pretrained` made stands by its own name."""
        for owner, name in self.made.items():
            if "." not in name and owner in self.data and isinstance(self.data.get(name), dict) and owner != name:
                for key, value in self.data[owner].items():
                    self.data[name][key] = value
                    at = self.spans.get(f"/{escape(owner)}/{escape(key)}")
                    if at is not None:
                        self.spans[f"/{escape(name)}/{escape(key)}"] = at

    def _place(self, pointer: str, node: ast.expr) -> None:
        self.spans[pointer] = (-1, -1, *_span(node, self.lines, self.text))
        for key, inner in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.spans[f"{pointer}/{escape(key.value)}"] = (-1, -1, *_span(inner, self.lines, self.text))


def _called(function: ast.expr) -> str | None:
    """The name of what is called: `SFTConfig`, `FastLanguageModel.from_pretrained`."""
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute):
        inner = function.value
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id in LIBRARIES:
            return f"{inner.attr}.{function.attr}"
        return f"{inner.id}.{function.attr}" if isinstance(inner, ast.Name) and inner.id not in LIBRARIES else function.attr
    return None


def _assigned(nodes: list[tuple[ast.AST, bool]]) -> dict[str, Any]:
    """Names that the script gives one written-out value; attributes of classes and parameters are other names."""
    fields = {id(each) for node, _ in nodes if isinstance(node, ast.ClassDef) for each in node.body}
    seen: dict[str, Any] = {}
    for node, _ in nodes:
        if isinstance(node, ast.arg):
            seen[node.arg] = UNKNOWN
        elif isinstance(node, ast.Assign | ast.AnnAssign) and id(node) not in fields and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    seen[target.id] = UNKNOWN if target.id in seen or len(targets) > 1 else _value(node.value, {})
    return seen


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return names.get(node.id, UNKNOWN)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {k.value: _value(v, names) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return {k.arg: _value(k.value, names) for k in node.keywords if k.arg is not None}
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        left, right = _value(node.left, names), _value(node.right, names)
        small = all(type(v) is int and len(str(abs(v))) <= DIGITS for v in (left, right))
        return _SIGNS[type(node.op)](left, right) if small else UNKNOWN
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
