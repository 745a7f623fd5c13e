"""Budgets as a table for a pull request: one row a config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accounting.units import binary, si

if TYPE_CHECKING:
    from collections.abc import Iterable

HEADS = ("config", "parameters", "active", "prefill, full", "decode, full", "cache", "a token", "weights", "fidelity")


def markdown(results: Iterable[dict[str, Any]]) -> str:
    """A table, the errors and the assertions below it. Text of files is escaped."""
    found = list(results)
    good = [r for r in found if "error" not in r]
    lines = []
    if good:
        lines += ["| " + " | ".join(HEADS) + " |", "|---|" + "---:|" * (len(HEADS) - 2) + "---|"]
        lines += ["| " + " | ".join(_cells(r)) + " |" for r in good]
    for r in found:
        if "error" in r:
            lines += ["", f"**{_escaped(r['path'])}**: {r['error']['code']} {_escaped(r['error']['message'])}"]
    judged = [(r["path"], a) for r in good for a in r.get("assertions", ())]
    if judged:
        from ..accounting.assertions import said

        lines.append("")
        lines += [f"- {'✅' if a['holds'] else '❌'} {_escaped(said(path, a))}" for path, a in judged]
    return "\n".join(lines) + "\n"


def _cells(r: dict[str, Any]) -> list[str]:
    p, flops, cache = r["parameters"], r["flops"], r["cache"]
    size = "not known" if cache["bytes"] is None else binary(cache["bytes"])
    rate = "" if cache["bytes"] is None else binary(cache["bytes_per_token"])
    decode = "" if flops["decode"] is None else si(flops["decode"]["total_full"], "FLOP")
    return [
        _escaped(r["path"]), f"{si(p['total'])} ({p['total']:,})", si(p["active"]["total"]), si(flops["prefill"]["total_full"], "FLOP"),
        decode, size, rate,
        binary(r["memory"]["weight_bytes"]), r["fidelity"],
    ]  # fmt: skip


def _escaped(text: str) -> str:
    for mark in "\\|`*_<>[]":
        text = text.replace(mark, "\\" + mark)
    return text.replace("\n", " ")
