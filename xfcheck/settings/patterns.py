"""Patterns of paths, as .gitignore writes them."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """What a relative path with forward slashes is searched with.

    `*` and `?` stay within a name, `**` crosses folders, `[...]` is a set. A pattern without a slash (but at its end) fits a name at any
    depth; another one is anchored. What lies in a folder that fits, fits.
    """
    body = pattern.strip().removeprefix("./")
    anchored = "/" in body.rstrip("/")
    body = body.strip("/")
    out, i = [], 0
    while i < len(body):
        if body.startswith("**/", i):
            out.append("(?:[^/]+/)*")
            i += 3
            continue
        if body.startswith("**", i):
            out.append(".*")
            i += 2
            continue
        end = body.find("]", i + 2) if body[i] == "[" else -1
        if end > 0:
            inner = body[i + 1 : end].replace("\\", "\\\\")
            out.append(f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]")
            i = end + 1
            continue
        out.append({"*": "[^/]*", "?": "[^/]"}.get(body[i]) or re.escape(body[i]))
        i += 1
    try:
        return re.compile(("" if anchored else "(?:.*/)?") + "".join(out) + "(?:/.*)?", re.DOTALL)
    except re.error:
        return re.compile(("" if anchored else "(?:.*/)?") + re.escape(body) + "(?:/.*)?", re.DOTALL)
