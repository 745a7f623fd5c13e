"""Every rule: a whole page, a name that reads as "allow …", a bad example that fires this rule alone, a good one that is clean."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.examples import FENCE, findings, lay, sections
from xfcheck.rules._registry import documentation, index

ROOT = Path(__file__).parents[2]
CODES = sorted(index())
WANTED = ("What it does", "Why is this bad?", "Example", "Use instead", "Source")
IMPERATIVES = re.compile(r"^(avoid|do-not|dont|use|prefer|no)-")


def test_the_index_and_the_page_of_rules_are_fresh() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "rule_index.py"), "--check"], check=False, cwd=ROOT)
    assert done.returncode == 0, "run scripts/rule_index.py"


def test_codes_are_unique_and_names_are_too() -> None:
    names = [rule.name for rule in index().values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("code", CODES)
def test_page_is_whole(code: str) -> None:
    page = documentation(code)
    found = sections(page)
    assert [title for title in WANTED if not found.get(title)] == []
    assert FENCE.search(found["Example"]), "the example holds a fenced file"
    assert FENCE.search(found["Use instead"]), "so does its better form"
    assert not page.startswith("\n")


@pytest.mark.parametrize("code", CODES)
def test_name_and_severity(code: str) -> None:
    rule = index()[code]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
    assert not IMPERATIVES.match(rule.name)
    assert rule.severity in ("error", "warning", "info")
    assert re.fullmatch(r"XF[1-9]\d\d", code)


@pytest.mark.parametrize("code", CODES)
def test_bad_example_fires_this_rule_alone(code: str, tmp_path: Path) -> None:
    found = findings(lay(sections(documentation(code))["Example"], tmp_path), extend=(code,))
    assert {f.code for f in found if f.severity != "info" or f.code == code} == {code}, [(f.code, f.message) for f in found]


@pytest.mark.parametrize("code", CODES)
def test_good_example_is_clean(code: str, tmp_path: Path) -> None:
    found = findings(lay(sections(documentation(code))["Use instead"], tmp_path), extend=(code,))
    assert [(f.code, f.message) for f in found if f.code == code or f.severity != "info"] == []


@pytest.mark.parametrize("code", CODES)
def test_findings_are_placed_in_their_file(code: str, tmp_path: Path) -> None:
    for finding in findings(lay(sections(documentation(code))["Example"], tmp_path), extend=(code,)):
        assert finding.line is not None, f"{finding.pointer} is nowhere in {finding.file}"
        assert finding.message
        assert not finding.message.endswith(".")
