"""Corner cases of the rules, as files: `cases/XFnnn/bad_*.json` fires the rule, `good_*.json` does not.

A file is a config.json, or an object of several files by name (`config.json`, `xfcheck.yaml` as text, ...; a safetensors file is given by
its header, name -> [dtype, *shape]). The words of a name say what the case is; `bad_warning_*` and `bad_info_*` fire at that severity,
other bad ones at the rule's own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.rules.examples import findings, safetensors
from xfcheck.rules._registry import index

if TYPE_CHECKING:
    from xfcheck.rules._finding import Finding

CASES = Path(__file__).with_name("cases")
FILES = sorted(CASES.glob("XF*/*.json"))


def found(case: Path, folder: Path) -> list[Finding]:
    """What lint says of a case, with its own rule's infos."""
    data = json.loads(case.read_text())
    for name, content in (data if "config.json" in data else {"config.json": data}).items():
        if name.endswith(".safetensors"):
            (folder / name).write_bytes(safetensors(content))
        else:
            (folder / name).write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return findings(folder, extend=(case.parent.name,))


@pytest.mark.parametrize("case", [f for f in FILES if f.name.startswith("bad_")], ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_bad_fires(case: Path, tmp_path: Path) -> None:
    said = found(case, tmp_path)
    word = case.stem.split("_")[1]
    wanted = word if word in ("error", "warning", "info") else index()[case.parent.name].severity
    assert wanted in {f.severity for f in said if f.code == case.parent.name}, [(f.code, f.severity, f.message) for f in said]


@pytest.mark.parametrize("case", [f for f in FILES if f.name.startswith("good_")], ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_good_does_not(case: Path, tmp_path: Path) -> None:
    said = found(case, tmp_path)
    assert [(f.severity, f.message) for f in said if f.code == case.parent.name] == []


def test_every_case_has_a_kind_and_a_rule() -> None:
    assert [str(f) for f in FILES if not f.name.startswith(("bad_", "good_")) or f.parent.name not in index()] == []
