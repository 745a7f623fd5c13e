"""Every command shown in the README and in docs/ is run, and its output compared.

A block fenced as `console` holds `$ command` lines, each followed by the output it must print. `...` on a line of its own stands for any
lines, and inside a line for any text. Blocks fenced as `sh` are the ones that install; tests/packaging runs those.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """A command of a page with the output shown under it."""

    page: str
    line: int
    command: str
    output: str


def shown() -> list[Shown]:
    """All commands of all pages."""
    out = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            first = text.count("\n", 0, block.start()) + 2
            lines = block.group(1).splitlines()
            starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
            for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
                out.append(Shown(page.name, first + start, lines[start][2:], "\n".join(lines[start + 1 : end]).strip("\n")))
    return out


def pattern(text: str) -> str:
    """The shown output as a regular expression."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"[ ]*\n"
        for line in text.splitlines()
    ]
    return "".join(lines)


@pytest.mark.parametrize("case", shown(), ids=lambda c: f"{c.page}:{c.line}")
def test_command_prints_what_the_page_shows(case: Shown, tmp_path: Path) -> None:
    work = tmp_path / "repository"
    work.mkdir()
    for name in ("sample_configs", "scripts", "docs", "schemas"):
        if (ROOT / name).exists():
            (work / name).symlink_to(ROOT / name)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "120", "TERM": "dumb"}
    assert shutil.which("xfcheck", path=path), "xfcheck is installed beside the interpreter"
    done = subprocess.run(["bash", "-c", case.command], cwd=work, env=environment, capture_output=True, text=True, check=False)
    printed = (done.stdout + done.stderr).strip("\n") + "\n"
    assert "Traceback" not in printed
    if case.output:
        assert re.fullmatch(pattern(case.output), printed), f"printed:\n{printed}"
    else:
        assert done.returncode == 0, printed


def test_the_readme_has_commands() -> None:
    assert sum(case.page == "README.md" for case in shown()) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []
