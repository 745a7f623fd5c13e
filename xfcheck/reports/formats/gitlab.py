"""Code Quality report of GitLab: a JSON array, one object a finding, fingerprints all different."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..linted import fingerprints
from ..plain import harmless_json, plain

if TYPE_CHECKING:
    from ..linted import Place, Run

SEVERITY = {"error": "major", "warning": "minor", "info": "info"}


def render(run: Run) -> str:
    """The array."""
    return harmless_json(json.dumps([_object(place, mark) for place, mark in fingerprints(run)], indent=2, ensure_ascii=False)) + "\n"


def _object(place: Place, mark: str) -> dict[str, Any]:
    finding = place.finding
    return {
        "description": plain(f"{finding.code} {finding.message}"), "check_name": f"{finding.code} {finding.name}", "fingerprint": mark,
        "severity": SEVERITY[finding.severity], "location": {"path": plain(place.path), "lines": {"begin": finding.line or 1}},
    }  # fmt: skip
