"""The schemas under `schemas/`: fresh, valid as schemas, and true of what the tool reads and writes."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
from pydantic import ValidationError

from xfcheck.schemas import SCHEMAS, file_name
from xfcheck.settings.schema import Configuration

ROOT = Path(__file__).parents[1]
WHOLE = """
select = ["XF1"]
extend-select = ["XF3"]
ignore = ["XF103"]
fail-on = "warning"
exclude = ["third_party/"]
[severities]
XF112 = "error"
[per-file-ignores]
"legacy/**" = { codes = ["XF411"], reason = "published like this" }
[budget]
assert = ["parameters.total <= 8.1e9"]
[targets]
engine = "vllm"
readers = ["transformers>=4.43"]
"""
WRONG = [
    "colour = 1",
    "select = 'XF1'",
    "fail-on = 'maybe'",
    "[severities]\nXF112 = 'fatal'",
    "[per-file-ignores]\nx = { codes = ['XF1'] }",
    "[budget]\nasert = []",
]


def test_the_files_are_fresh() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "schemas.py"), "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run scripts/schemas.py"


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_schema(name: str) -> None:
    schema = json.loads((ROOT / "schemas" / file_name(name)).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"]


def test_the_schema_of_the_configuration_takes_what_the_tool_takes() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMAS["xfcheck.toml"]())
    data = tomllib.loads(WHOLE)
    assert list(validator.iter_errors(data)) == []
    Configuration.model_validate(data)
    for text in WRONG:
        assert list(validator.iter_errors(tomllib.loads(text))), text
        with pytest.raises(ValidationError):
            Configuration.model_validate(tomllib.loads(text))


def test_the_report_fits_its_schema() -> None:
    faulty = ROOT / "sample_configs" / "faulty"
    command = [sys.executable, "-m", "xfcheck", "lint", str(faulty), "--format", "json", "--extend-select", "ALL", "--statistics"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    assert report["summary"]["error"] > 0
    validator = jsonschema.Draft202012Validator(SCHEMAS["lint"]())
    assert list(validator.iter_errors(report)) == []
    del report["files"][0]["findings"][0]["code"]
    assert list(validator.iter_errors(report))
