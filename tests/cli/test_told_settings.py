"""What is wrong with xfcheck.yaml is said by the commands that compute with it, beside the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .test_exit_codes import GOOD, laid, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("command", ["budget", "inspect", "shapes"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deploy: {context_lenght: 64}", "XF905 unknown key deploy.context_lenght; did you mean deploy.context_length?"),
        ("deploy: {context_length: -2}", "XF905 deploy.context_length: input should be greater than or equal to 1, not -2"),
        ("deploy: [", "XF901"),
    ],
)
def test_a_wrong_settings_file(tmp_path: Path, command: str, text: str, said: str) -> None:
    laid(tmp_path, GOOD)
    laid(tmp_path, text, "xfcheck.yaml")
    done = run(command, str(tmp_path))
    assert done.returncode == 0
    assert done.stderr.startswith(f"xfcheck: {tmp_path}/xfcheck.yaml:1:")
    assert said in done.stderr
    assert "XF90" not in done.stdout


def test_a_device_that_is_not_known(tmp_path: Path) -> None:
    laid(tmp_path, GOOD)
    laid(tmp_path, "deploy: {device: h100}", "xfcheck.yaml")
    done = run("budget", str(tmp_path))
    assert done.returncode == 0
    assert "unknown device 'h100'; did you mean h100-sxm" in done.stderr


def test_nothing_is_said_of_a_right_one_or_none(tmp_path: Path) -> None:
    laid(tmp_path, GOOD)
    assert run("budget", str(tmp_path)).stderr == ""
    laid(tmp_path, "deploy: {device: h100-sxm, context_length: 32}", "xfcheck.yaml")
    done = run("budget", str(tmp_path))
    assert (done.stderr, "1 x 32 tokens" in done.stdout) == ("", True)
