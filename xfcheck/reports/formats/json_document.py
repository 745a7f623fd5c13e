"""One JSON document: an object a path under `files`, and a summary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..envelope import stamped
from ..plain import harmless_json

if TYPE_CHECKING:
    from ..linted import Linted, Run


def render(run: Run) -> str:
    """The document; with `statistics` the summary counts by rule too."""
    summary: dict[str, Any] = {**run.counts(), "not_shown": run.hidden}
    if run.statistics:
        summary["rules"] = {code: count for count, code, _, _ in run.by_rule()}
    body = stamped({"files": [element(file) for file in run.files], "summary": summary})
    return harmless_json(json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def element(file: Linted) -> dict[str, Any]:
    """The object of one path."""
    report = file.report
    findings = [place.finding.as_json() for place in file.places]
    counted = {} if report.sample is None else {"sample": report.sample.as_json()}
    return {"path": file.path, "model_type": report.model_type, "fidelity": report.fidelity, "findings": findings, **counted}
