"""Caches, FLOPs and stored bytes as papers, cards and logs print them, asked for as a user asks: a config and options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.model import understand

FIGURES = [json.loads(line) for line in (Path(__file__).parent / "figures" / "budgets.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("figure", FIGURES, ids=[f["model"] for f in FIGURES])
def test_published(figure: dict[str, Any]) -> None:
    """Within what was rounded."""
    got: Any = budget(understand(figure["config"], None), Options(**figure["options"]))  # type: ignore[arg-type]
    for key in figure["quantity"].split("."):
        got = got[int(key) if key.isdigit() else key]
    assert got == figure["value"] if not figure["tolerance"] else got == pytest.approx(figure["value"], rel=figure["tolerance"])
