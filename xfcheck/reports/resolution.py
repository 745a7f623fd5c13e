"""The effective config as readers see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..readers.views import differences, view
from .plain import plain

if TYPE_CHECKING:
    from ..readers.value import View
    from ..rules._context import Context

WIDEST = 60


def resolution(context: Context, readers: list[str]) -> dict[str, Any]:
    """The JSON object of `resolve`: one entry a reader, every value with its origin."""
    return {"model_type": context.data.get("model_type"), "readers": [reader(context, view(context, name)) for name in readers]}


def reader(context: Context, seen: View) -> dict[str, Any]:
    """One reader's values."""
    return {
        "reader": seen.reader, "version": seen.version, "refused": seen.refused, "partial": seen.partial,
        "values": {name: value.as_json(context.document) for name, value in seen.values.items()}, "unread": seen.unread,
    }  # fmt: skip


def difference(context: Context, first: str, second: str) -> dict[str, Any]:
    """The JSON object of `resolve --diff`: the rows in which two readers are not of one mind."""
    a, b = view(context, first), view(context, second)
    rows = [
        {
            "name": name,
            "first": None if x is None else x.as_json(context.document),
            "second": None if y is None else y.as_json(context.document),
        }
        for name, x, y in differences(a, b)
    ]
    heads = [{"reader": v.reader, "version": v.version, "refused": v.refused} for v in (a, b)]
    return {"model_type": context.data.get("model_type"), "diff": {"readers": heads, "rows": rows}}


def render(result: dict[str, Any]) -> str:
    """One reader: all values. Several: the first in full, then where each other one differs. A diff: its rows."""
    lines = [f"{plain(result['path'])}  {plain(str(result['model_type']))}"]
    if "diff" in result:
        first, second = result["diff"]["readers"]
        lines.append(f"{named(first)} | {named(second)}")
        lines += [_row(r["name"], r["first"], r["second"]) for r in result["diff"]["rows"]] or ["  no difference"]
        return "\n".join(lines) + "\n"
    first, *others = result["readers"]
    lines += [named(first), *_values(first)]
    for other in others:
        lines.append(named(other))
        rows = [
            _row(name, first["values"].get(name), value)
            for name, value in other["values"].items()
            if name not in first["values"] or first["values"][name]["value"] != value["value"]
        ]
        lines += rows or [f"  as {first['reader']}"]
    return "\n".join(lines) + "\n"


def named(entry: dict[str, Any]) -> str:
    """A reader with its version, and why it does not load the file."""
    return f"{entry['reader']} ({entry['version']})" + (f": {plain(entry['refused'])}" if entry["refused"] else "")


def _values(entry: dict[str, Any]) -> list[str]:
    rows = [(n, v) for n, v in entry["values"].items() if v["value"] is not None or v["source"] == "file"]
    wide = max((len(n) for n, _ in rows), default=0)
    lines = [f"  {plain(n):<{wide}}  {plain(shown(v['value'])):<28}  {_origin(v)}" for n, v in rows]
    return lines + [f"  not read: {plain(at)} ({plain(why)})" for at, why in entry["unread"].items()]


def _row(name: str, a: dict[str, Any] | None, b: dict[str, Any] | None) -> str:
    def side(v: dict[str, Any] | None) -> str:
        return "not there" if v is None else f"{plain(shown(v['value']))} ({_origin(v)})"

    return f"  {plain(name)}: {side(a)} | {side(b)}"


def _origin(value: dict[str, Any]) -> str:
    line = f" line {value['line']}" if value["line"] is not None and value["source"] in ("file", "derived") else ""
    return plain(f"{value['source']}{line}: {value['detail']}")


def shown(value: Any) -> str:
    """A value, cut where long."""
    text = (
        "null"
        if value is None
        else str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."
