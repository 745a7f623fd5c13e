"""SARIF 2.1.0 (OASIS, errata 01): what code scanning services take.

Results carry `partialFingerprints` that stay while the file is edited elsewhere, and the JSON pointer as a logical location. URIs are
relative to the working directory. At most LIMIT results are written, errors first: services refuse more in a run.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...rules._finding import LEVELS
from ..linted import fingerprints
from ..plain import harmless_json, plain

if TYPE_CHECKING:
    from ..linted import Place, Run

LIMIT = 25_000
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
_LEVEL = {"error": "error", "warning": "warning", "info": "note"}
_LINK = re.compile(r"[\[\]\\]")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def render(run: Run) -> str:
    """The log with one run."""
    found = sorted(fingerprints(run), key=lambda pair: -LEVELS[pair[0].finding.severity])[:LIMIT]
    order = {code: i for i, code in enumerate(sorted({place.finding.code for place, _ in found}))}
    names = {place.finding.code: (place.finding.name, place.finding.severity) for place, _ in reversed(found)}
    cut = sum(run.counts().values()) - len(found)
    notes = [*run.problems, *run.notes, *([f"{cut} more findings are left out"] if cut else [])]
    driver = {
        "name": "xfcheck",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code, *names[code]) for code in order],
    }
    called = {"executionSuccessful": not (run.problems or run.crashed), "toolExecutionNotifications": [_note(n) for n in notes]}
    body = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "invocations": [called],
                "results": [_result(place, order[place.finding.code], mark) for place, mark in found],
            }
        ],
    }  # fmt: skip
    return harmless_json(json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _message(text: str) -> dict[str, str]:
    """Plain text: what SARIF would read as a link or a placeholder (3.11.5, 3.11.6) is escaped."""
    text = _PLACEHOLDER.sub(r"{{\1}}", plain(text))
    return {"text": _LINK.sub(lambda m: "\\" + m[0], text) if "](" in text else text}


def _note(text: str) -> dict[str, Any]:
    return {"level": "error", "message": _message(text)}


def _rule(code: str, name: str, severity: str) -> dict[str, Any]:
    from ..pages import page_text, summary_of

    summary = summary_of(code) or name
    out: dict[str, Any] = {
        "id": code, "name": "".join(part.capitalize() for part in name.split("-")), "shortDescription": {"text": name.replace("-", " ")},
        "fullDescription": {"text": summary}, "defaultConfiguration": {"level": _LEVEL[severity]},
        "properties": {"tags": ["transformer-config"], "problem.severity": "recommendation" if severity == "info" else severity},
    }  # fmt: skip
    text, markdown = page_text(code)
    out["help"] = {"text": text or summary, "markdown": markdown or summary}
    return out


def _result(place: Place, index: int, mark: str) -> dict[str, Any]:
    finding = place.finding
    text = finding.message + (f" ({finding.help})" if finding.help else "")
    location = _location(place.path, finding.line, finding.column)
    if finding.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": plain(finding.pointer), "kind": "member"}]
    out = {
        "ruleId": finding.code, "ruleIndex": index, "level": _LEVEL[finding.severity], "message": _message(text),
        "locations": [location], "partialFingerprints": {"xfcheckFinding/v1": mark},
    }  # fmt: skip
    if finding.related:
        folder = place.path[: len(place.path) - len(finding.file)]
        out["relatedLocations"] = [
            {"id": i, **_location(f"{folder}{r['file']}", r["line"], None), "message": _message(r["message"])}
            for i, r in enumerate(finding.related)
        ]
    return out


def _location(path: str, line: int | None, column: int | None) -> dict[str, Any]:
    # services want a line: a finding about a file as a whole stands at its first
    region = {"startLine": line or 1} | ({"startColumn": column} if column is not None else {})
    return {"physicalLocation": {"artifactLocation": uri(path), "region": region}}


def uri(path: str) -> dict[str, str]:
    """A path as a URI reference (RFC 3986): relative to the working directory where it lies in it."""
    from urllib.parse import quote

    quoted = quote(os.fsencode(path), safe="/")
    return {"uri": f"file://{quoted}"} if path.startswith("/") else {"uri": quoted, "uriBaseId": ROOT}
