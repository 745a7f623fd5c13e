"""Case files: `ok/NAME` with its value in `NAME.value`, `err/NAME` with value and problems in `NAME.expected`.

`{"float": "nan"}` in an expected value is a float that JSON cannot write. A message is expected as a part of the real one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from xfcheck.documents.read import read_document

HERE = Path(__file__).parent
OK = sorted(path for path in (HERE / "ok").iterdir() if path.suffix != ".value")
ERR = sorted(path for path in (HERE / "err").iterdir() if path.suffix != ".expected")


def number(pairs: list[tuple[str, Any]]) -> Any:
    value = dict(pairs)
    return float(value["float"]) if list(value) == ["float"] else value


def expected(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=number)


def text_of(value: Any) -> str:
    """A text that tells 1 from 1.0 and from true, and a NaN from none."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("path", OK, ids=lambda path: path.name)
def test_ok(path: Path) -> None:
    document = read_document(path)
    assert document.problems == []
    want = expected(path.with_name(path.name + ".value"))
    assert text_of(document.data) == text_of(want)
    assert document.format == path.suffix[1:]


@pytest.mark.parametrize("path", ERR, ids=lambda path: path.name)
def test_err(path: Path) -> None:
    document = read_document(path)
    want = expected(path.with_name(path.name + ".expected"))
    assert text_of(document.data) == text_of(want["value"])
    assert len(document.problems) == len(want["problems"]), document.problems
    for problem, told in zip(document.problems, want["problems"], strict=True):
        assert told["message"] in problem.message
        assert (problem.line, problem.column, problem.severity, problem.code) == (told["line"], told["column"], told["severity"], "XF901")


def test_every_case_has_its_expectation() -> None:
    assert len(OK) * 2 == len(list((HERE / "ok").iterdir()))
    assert len(ERR) * 2 == len(list((HERE / "err").iterdir()))
