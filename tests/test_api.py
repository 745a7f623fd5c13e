"""`xfcheck.lint` and `xfcheck.account`: the same objects as the command line's, imported when used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import xfcheck
from xfcheck.schemas import SCHEMAS

ROOT = Path(__file__).parents[1]
FAULTY = ROOT / "sample_configs" / "faulty" / "heads-not-dividing"
LLAMA = ROOT / "sample_configs" / "llama-3-8b"


def said(*arguments: str) -> dict[str, object]:
    """The first object of a command's JSON lines, without the envelope."""
    command = [sys.executable, "-m", "xfcheck", *arguments, "--format", "jsonl"]
    out = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()[0]
    return {key: value for key, value in json.loads(out).items() if key not in ("schema_version", "tool_version")}


def test_lint_is_what_the_command_says() -> None:
    (found,) = xfcheck.lint(FAULTY)
    assert json.loads(json.dumps(found)) == said("lint", str(FAULTY))
    assert [f["code"] for f in found["findings"] if f["severity"] == "error"] == ["XF104"]
    document = {
        "schema_version": 1,
        "tool_version": "0",
        "files": [found],
        "summary": {"error": 1, "warning": 0, "info": 0, "not_shown": 0},
    }
    assert list(jsonschema.Draft202012Validator(SCHEMAS["lint"]()).iter_errors(json.loads(json.dumps(document)))) == []


def test_lint_of_a_tree_and_with_a_selection() -> None:
    assert len(xfcheck.lint(ROOT / "sample_configs")) > 10
    assert xfcheck.lint(FAULTY, select=["XF5"])[0]["findings"] == []
    assert xfcheck.lint(FAULTY, ignore=["XF104"])[0]["findings"] == []


def test_deployment_and_settings(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text((LLAMA / "config.json").read_text())
    found = xfcheck.lint(tmp_path, deployment={"tensor_parallel": 7})[0]["findings"]
    assert any(f["severity"] == "error" and f["code"].startswith("XF1") for f in found), "32 heads on 7 ranks"
    (tmp_path / "xfcheck.toml").write_text('ignore = ["ALL"]')
    assert xfcheck.lint(tmp_path, deployment={"tensor_parallel": 7})[0]["findings"] == []
    assert xfcheck.lint(tmp_path, deployment={"tensor_parallel": 7}, isolated=True)[0]["findings"] == found


def test_account_is_what_the_command_says() -> None:
    found = xfcheck.account(LLAMA, context=1024)
    assert json.loads(json.dumps(found)) == said("budget", str(LLAMA), "--context", "1024")
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096
    assert found["parameters"]["total"] == 2 * 128256 * 4096 + 32 * layer + 4096 == 8_030_261_248


def test_what_is_raised(tmp_path: Path) -> None:
    for call in (xfcheck.lint, xfcheck.account):
        with pytest.raises(xfcheck.Usage, match="no such file"):
            call(tmp_path / "absent")
    with pytest.raises(xfcheck.Usage, match="no rule code"):
        xfcheck.lint(LLAMA, select=["XX"])
    with pytest.raises(xfcheck.Usage):
        xfcheck.lint(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(xfcheck.Refused) as refused:
        xfcheck.account(tmp_path)
    assert refused.value.code == "XF901"


def test_importing_it_imports_nothing() -> None:
    program = (
        "import sys, xfcheck; print([n for n in ('typer', 'pydantic', 'xfcheck.api', 'json') if n in sys.modules], 'lint' in dir(xfcheck))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[] True"
    with pytest.raises(AttributeError):
        _ = xfcheck.nothing  # type: ignore[attr-defined]


def test_a_budget_in_the_settings_is_held(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text((LLAMA / "config.json").read_text())

    def code(limit: str) -> int:
        (tmp_path / "xfcheck.toml").write_text(f'[budget]\nassert = ["parameters.total <= {limit}"]')
        return subprocess.run([sys.executable, "-m", "xfcheck", "budget", str(tmp_path)], capture_output=True, check=False).returncode

    assert (code("8.1e9"), code("8.0e9"), code("nonsense")) == (0, 1, 2)


def test_the_example_of_the_docs_runs() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    program = page.partition("```python\n")[2].partition("```")[0]
    assert "jsonschema.validate" in program
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
    definition = {"$ref": "#/$defs/BudgetObject", "$defs": SCHEMAS["budget"]()["$defs"]}
    budget = json.loads(json.dumps(xfcheck.account(LLAMA)))
    for wrong in ({**budget, "fidelity": "certain"}, {key: value for key, value in budget.items() if key != "path"}):
        assert not jsonschema.Draft202012Validator(definition).is_valid(wrong)
    files = {"$ref": "#/$defs/FileObject", "$defs": SCHEMAS["lint"]()["$defs"]}
    jsonschema.validate(json.loads(json.dumps(xfcheck.lint(FAULTY)[0])), files)
