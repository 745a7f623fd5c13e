"""A file of the findings that a repository had when it adopted the linter: they are not reported, new ones are.

A finding is known by its file (relative to the baseline's folder), code and JSON pointer, as often as the file says; its line and its
message may change. It is JSON with one entry a line, sorted, so that it merges and reviews well.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..problems import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..reports.linted import Linted

VERSION = 1
_Key = tuple[str, str, str]


def _key(folder: str, path: str, code: str, pointer: str) -> _Key:
    return os.path.relpath(path, folder).replace(os.sep, "/") if path != "-" else path, code, pointer


def written(path: str, files: Iterable[Linted]) -> str:
    """The text of a baseline at `path` that knows every finding of these files."""
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    counts = Counter(_key(folder, p.path, p.finding.code, p.finding.pointer) for file in files for p in file.places)
    rows = [json.dumps({"path": k[0], "code": k[1], "pointer": k[2], "count": n}) for k, n in sorted(counts.items())]
    body = ",\n    ".join(rows)
    return f'{{\n  "version": {VERSION},\n  "findings": [' + (f"\n    {body}\n  " if rows else "") + "]\n}\n"


def read(path: str) -> Counter[_Key]:
    """How often each finding is known. Raises Usage where the file is absent or no baseline."""
    from ..documents.read import read_document

    document = read_document(path, format="json")
    fault = next((p.message for p in document.problems if p.severity == "error"), None)
    if fault is not None:
        raise Usage(f"--baseline {path}: {fault}; --baseline-write {path} makes one")
    data: Any = document.data
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("findings"), list):
        raise Usage(f"--baseline {path}: no baseline of version {VERSION}")
    out: Counter[_Key] = Counter()
    for row in data["findings"]:
        if not (isinstance(row, dict) and all(isinstance(row.get(k), str) for k in ("path", "code", "pointer"))):
            raise Usage(f"--baseline {path}: an entry has path, code, pointer and count")
        count = row.get("count", 1)
        out[row["path"], row["code"], row["pointer"]] += count if isinstance(count, int) else 1
    return out


def subtracted(path: str, files: list[Linted]) -> tuple[list[Linted], int]:
    """The files with the findings that the baseline does not know, and how many of its entries about these files nothing needs any more."""
    known = read(path)
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    left = Counter(known)
    out, looked_at = [], set()
    for file in files:
        keep = []
        looked_at.add(_key(folder, file.config, "", "")[0])
        for place in file.places:
            key = _key(folder, place.path, place.finding.code, place.finding.pointer)
            looked_at.add(key[0])
            if left[key] > 0:
                left[key] -= 1
            else:
                keep.append(place)
        out.append(file._replace(places=tuple(keep)))
    return out, sum(n for key, n in left.items() if n > 0 and key[0] in looked_at)
