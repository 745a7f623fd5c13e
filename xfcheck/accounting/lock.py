"""Snapshots of budgets: written once, compared ever after, as a bundle-size check does."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ..problems import Usage
from .assertions import lookup

if TYPE_CHECKING:
    from collections.abc import Iterable

LOCK_VERSION = 1
CONDITIONS = ("flops.prefill.batch", "flops.prefill.tokens", "cache.engine", "cache.dtype")
"""What the numbers depend on beside the config."""
NUMBERS = (
    "parameters.total", "parameters.active.total", "parameters.not_loaded", "flops.prefill.total_full", "flops.decode.total_full",
    "flops.training_per_token",
    "cache.bytes", "cache.bytes_per_token", "storage.method", "storage.bytes", "memory.weight_bytes",
)  # fmt: skip
"""What a snapshot holds of a config."""


def snapshot(results: Iterable[dict[str, Any]]) -> str:
    """The lock file's text: by path, sorted, one number a line."""
    held = {r["path"]: {key: lookup(r, key) for key in (*CONDITIONS, *NUMBERS)} for r in results if "error" not in r}
    return json.dumps({"lock_version": LOCK_VERSION, "budgets": held}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def differences(path: str, results: Iterable[dict[str, Any]]) -> list[str]:
    """A line for every number that is not as the lock file says, and for paths that only one of both knows.

    Raises Usage for a file that is no lock.
    """
    held = _read(path)
    out, seen = [], set()
    for result in results:
        name = result["path"]
        seen.add(name)
        if "error" in result:
            continue
        if name not in held:
            out.append(f"{name}: not in {path}")
            continue
        for key in (*CONDITIONS, *NUMBERS):
            before, now = held[name].get(key), lookup(result, key)
            if before != now:
                out.append(f"{name}: {key} {_shown(before)} -> {_shown(now)}{_change(before, now)}")
    return out + [f"{name}: in {path}, not asked for" for name in sorted(held.keys() - seen)]


def _read(path: str) -> dict[str, dict[str, Any]]:
    from ..documents.read import read_document

    if not os.path.lexists(path):
        raise Usage(f"--check {path}: no such file; --lock {path} makes one")
    data: Any = read_document(path).data
    budgets = data.get("budgets") if isinstance(data, dict) else None
    if not isinstance(budgets, dict) or data.get("lock_version") != LOCK_VERSION or not all(isinstance(b, dict) for b in budgets.values()):
        raise Usage(f"{path} is no lock file that this version reads; write one with --lock")
    return budgets


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else "not known" if value is None else str(value)


def _change(before: Any, now: Any) -> str:
    if not isinstance(before, int) or not isinstance(now, int) or isinstance(before, bool):
        return ""
    return f" ({now - before:+,}" + (f", {(now - before) / before:+.2%})" if before else ")")
