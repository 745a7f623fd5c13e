"""Configuration files: found by folder, refused where wrong, each key with its effect."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.cli.collect import Candidate
from xfcheck.cli.linting import Linter, Plan
from xfcheck.problems import Usage
from xfcheck.settings.discovery import NONE, Finder, read
from xfcheck.settings.patterns import compiled

if TYPE_CHECKING:
    from pathlib import Path

GOOD: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip
BAD = {**GOOD, "num_key_value_heads": 3, "architectures": []}


def laid(folder: Path, config: dict[str, Any] = BAD, **files: str) -> str:
    """The path of a config in a folder, with a settings file in it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return str(folder / "config.json")


def codes(path: str, plan: Plan | None = None) -> dict[str, str]:
    """Code -> severity of what is found."""
    outcome = Linter(plan or Plan()).one(Candidate(path, path, certain=True))
    assert outcome.linted is not None
    return {place.finding.code: place.finding.severity for place in outcome.linted.places}


def test_without_settings(tmp_path: Path) -> None:
    assert codes(laid(tmp_path)) == {"XF104": "error", "XF411": "warning"}
    assert Finder().at(str(tmp_path)) == NONE


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('select = ["XF104"]', {"XF104": "error"}),
        ('ignore = ["XF104"]', {"XF411": "warning"}),
        ('select = ["XF4"]\nextend-select = ["XF104"]', {"XF104": "error", "XF411": "warning"}),
        ('[severities]\nXF104 = "info"\nXF4 = "error"', {"XF104": "info", "XF411": "error"}),
        ('[per-file-ignores]\n"inner/**" = { codes = ["XF4"], reason = "published so" }', {"XF104": "error"}),
        ('[per-file-ignores]\n"other/**" = { codes = ["XF4"], reason = "published so" }', {"XF104": "error", "XF411": "warning"}),
        ('[per-file-ignores]\n"*" = { codes = ["ALL"], reason = "published so" }', {}),
    ],
)
def test_each_key_has_its_effect(text: str, wanted: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "xfcheck.toml").write_text(text)
    assert codes(laid(tmp_path / "inner")) == wanted


def test_a_severity_switches_an_info_on(tmp_path: Path) -> None:
    path = laid(
        tmp_path, {**GOOD, "num_key_value_heads": 4, "hidden_size": 72, "head_dim": 16}, xfcheck_toml='[severities]\nXF103 = "warning"'
    )
    assert codes(path).get("XF103") == "warning"


def test_flags_win(tmp_path: Path) -> None:
    path = laid(tmp_path, xfcheck_toml='select = ["XF4"]\nignore = ["XF104"]\nfail-on = "warning"')
    assert codes(path, Plan(select=("XF104",))) == {"XF104": "error"}
    outcome = Linter(Plan(fail_on="never")).one(Candidate(path, path, certain=True))
    assert outcome.linted is not None
    assert outcome.linted.fail_on == "never"
    assert codes(path, Plan(isolated=True)) == {"XF104": "error", "XF411": "warning"}


def test_the_nearest_counts_and_a_pyproject_without_the_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "xfcheck.toml").write_text('ignore = ["XF1"]')
    inner = laid(tmp_path / "a" / "b", pyproject_toml="[project]\nname = 'xfcheck-user'\n")
    assert codes(inner) == {"XF411": "warning"}
    other = laid(tmp_path / "a" / "c", pyproject_toml='[tool.xfcheck]\nignore = ["XF4"]\n')
    assert codes(other) == {"XF104": "error"}


def test_targets_are_the_deployment_unless_a_file_says_otherwise(tmp_path: Path) -> None:
    laid(tmp_path, xfcheck_toml='[targets]\nengine = "vllm"\nreaders = ["transformers>=4.43"]')
    linter = Linter(Plan())
    folder = Candidate(str(tmp_path), str(tmp_path), certain=True).open()
    assert folder is not None
    linter._target(folder, linter.finder.at(str(tmp_path)))
    assert (folder.xfcheck.deploy.engine, folder.xfcheck.deploy.readers) == ("vllm", ["transformers>=4.43"])
    (tmp_path / "xfcheck.yaml").write_text("deploy: {engine: sglang}\n")
    folder = Candidate(str(tmp_path), str(tmp_path), certain=True).open()
    assert folder is not None
    linter._target(folder, linter.finder.at(str(tmp_path)))
    assert folder.xfcheck.deploy.engine == "sglang"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("selct = ['XF1']", r":1:1: XF905 unknown key 'selct'; did you mean select\?"),
        ("fail_on = 'error'", r"did you mean fail-on\?"),
        ("\n[budget]\nasert = []", r":3:1: XF905 unknown key 'budget.asert'; did you mean assert\?"),
        ("[per-file-ignores]\n'x' = { codes = ['XF1'] }", r"XF905 per-file-ignores.x.reason is needed"),
        ("select = ['XX1']", r"no rule code begins with 'XX1'"),
        ("select = 1", r":1:1: XF905 select: "),
        ("select = [", r"XF901"),
        ("fail-on = 'sometimes'", r"XF905 fail-on: "),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "xfcheck.toml"
    path.write_text(text)
    with pytest.raises(Usage, match=told):
        read(str(path))


def test_config_shows_values_with_their_origin(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.xfcheck]\nignore = ["XF112"]\n\n[tool.xfcheck.targets]\nengine = "vllm"\n')
    command = [sys.executable, "-m", "xfcheck", "config", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    rows = {row["key"]: (row["value"], row["origin"]) for row in json.loads(done.stdout)["settings"]}
    assert rows["ignore"] == (["XF112"], "pyproject.toml:2")
    assert rows["targets.engine"] == ("vllm", "pyproject.toml:5")
    assert rows["fail-on"] == ("error", "default")
    (tmp_path / "pyproject.toml").write_text("[tool.xfcheck]\nx = 1")
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "XF905" in refused.stderr


@pytest.mark.parametrize(
    ("pattern", "fits", "not_"),
    [
        ("third_party/", ["third_party/a.json", "x/third_party/b/c.json"], ["third_party_too/a.json"]),
        ("*.yaml", ["a.yaml", "b/c.yaml"], ["a.yml", "a.yaml.json"]),
        ("models/*/config.json", ["models/a/config.json"], ["models/a/b/config.json", "x/models/a/config.json"]),
        ("models/**/config.json", ["models/config.json", "models/a/b/config.json"], ["models/a/other.json"]),
        ("/top.json", ["top.json"], ["a/top.json"]),
        ("v[12]?.json", ["v1x.json", "a/v2y.json"], ["v3x.json", "v1.json"]),
        ("v[!1].json", ["v2.json"], ["v1.json"]),
        ("a+(b).json", ["a+(b).json"], ["aab.json"]),
    ],
)
def test_patterns(pattern: str, fits: list[str], not_: list[str]) -> None:
    assert [path for path in fits if not compiled(pattern).fullmatch(path)] == []
    assert [path for path in not_ if compiled(pattern).fullmatch(path)] == []
