"""`rules` and `explain`: every code that lint can report is listed and has a page in every format."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from xfcheck.rules._plumbing import PAGES, RULES
from xfcheck.rules._registry import index
from xfcheck.rules._selection import PLUMBING

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """xfcheck with these arguments."""
    return subprocess.run([sys.executable, "-m", "xfcheck", *arguments], capture_output=True, text=True, check=False)


def test_rules_lists_every_code() -> None:
    rows = json.loads(run("rules", "--format", "json").stdout)["rules"]
    assert [row["code"] for row in rows] == sorted({*index(), *RULES})
    assert {row["code"] for row in rows if row["group"] == "tool"} == set(PAGES) >= set(PLUMBING)


@pytest.mark.parametrize("code", [*RULES, "XF104", "kv-heads-not-dividing"])
def test_explain(code: str) -> None:
    text, markdown = run("explain", code), run("explain", code, "--format", "markdown")
    assert (text.returncode, markdown.returncode) == (0, 0)
    assert "WHAT IT DOES" in text.stdout
    assert "```" not in text.stdout
    assert "## What it does" in markdown.stdout
    (page,) = json.loads(run("explain", code, "--format", "json").stdout)["rules"]
    assert page["code"] in text.stdout
    assert {"what_it_does", "why_is_this_bad", "example", "use_instead"} <= page.keys()


def test_explain_names_the_nearest() -> None:
    done = run("explain", "XF9O1")
    assert done.returncode == 2
    assert "did you mean XF9" in done.stderr


def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"m{i}.json").write_text('{"model_type": "llama"}')
    program = """
import sys, xfcheck.cli.linting as l
clock = iter(range(10**6))
l.time.monotonic = lambda: next(clock)
from xfcheck.cli.app import run
run(["lint", ".", "--format", "json", "--output", "out.txt", "--fail-on", "never"])
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    leader, follower = pty.openpty()
    subprocess.run(command, cwd=tmp_path, stderr=follower, stdout=subprocess.PIPE, check=False)
    os.close(follower)
    shown = os.read(leader, 10_000).decode()
    os.close(leader)
    assert "looked at" in shown
    assert shown.endswith("\r\x1b[K"), "and it is taken away"
