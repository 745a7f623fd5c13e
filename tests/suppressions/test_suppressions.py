"""Comments and baselines: what they hide, what they do not, and what is said of those that hide nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.cli.collect import Candidate
from xfcheck.cli.linting import Linter, Plan
from xfcheck.documents.read import read_document
from xfcheck.problems import Usage
from xfcheck.suppressions.baseline import read, subtracted, written
from xfcheck.suppressions.comments import comments

if TYPE_CHECKING:
    from pathlib import Path

    from xfcheck.reports.linted import Linted

YAML = """model_type: llama
architectures: [LlamaForCausalLM]
hidden_size: 64
num_hidden_layers: 2
num_attention_heads: 4
num_key_value_heads: 3{comment}
intermediate_size: 128
vocab_size: 96
torch_dtype: bfloat16
"""


def lint(path: Path, plan: Plan | None = None) -> Linted:
    """What is found about a path."""
    found = Linter(plan or Plan()).one(Candidate(str(path), str(path), certain=True)).linted
    assert found is not None
    return found


def codes(path: Path, plan: Plan | None = None) -> list[str]:
    """The codes of it."""
    return [place.finding.code for place in lint(path, plan).places]


@pytest.mark.parametrize(
    ("comment", "wanted"),
    [
        ("", ["XF104"]),
        ("  # xfcheck: ignore[XF104] three on purpose", []),
        ("  # xfcheck: ignore[XF1] three on purpose", []),
        ("  # xfcheck:ignore[ xf104 , XF104] three on purpose", []),
        ("  # xfcheck: ignore[XF104]", ["XF104", "XF906"]),
        ("  # xfcheck: ignore three on purpose", ["XF104", "XF906"]),
        ("  # xfcheck: ignore[XF101] not that one", ["XF104", "XF906"]),
        ("  # xfcheck: ignore[XF104,XF101] one too many", ["XF906"]),
        ("\n# xfcheck: ignore[XF104] about the next line", ["XF104", "XF906"]),
        ("  # not xfcheck: ignored[XF104] x", ["XF104"]),
    ],
)
def test_comments(comment: str, wanted: list[str], tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(YAML.format(comment=comment))
    assert sorted(codes(path)) == wanted


def test_a_comment_alone_is_about_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(
        YAML.format(comment="").replace("num_key_value_heads", "# xfcheck: ignore[XF104] on purpose\n\n# more\nnum_key_value_heads")
    )
    assert codes(path) == []


def test_of_rules_that_were_not_asked_for_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(YAML.format(comment="  # xfcheck: ignore[XF104] on purpose"))
    assert codes(path, Plan(select=("XF3",))) == []
    assert codes(path, Plan(ignore=("XF104",))) == []


def test_a_comment_in_xfcheck_yaml(tmp_path: Path) -> None:
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    settings = tmp_path / "xfcheck.yaml"
    settings.write_text("deploy:\n  tensor_parallel: 3\n")
    found = [place.finding for place in lint(tmp_path).places]
    assert {f.file for f in found} >= {"xfcheck.yaml"}, [f.code for f in found]
    told = ",".join(sorted({f.code for f in found if f.file == "xfcheck.yaml"}))
    settings.write_text(f"deploy:\n  tensor_parallel: 3  # xfcheck: ignore[{told}] the last rank is padded\n")
    assert [p.finding.code for p in lint(tmp_path).places if p.finding.file == "xfcheck.yaml"] == []


@pytest.mark.parametrize(
    ("text", "format", "lines"),
    [
        ('a: "x # xfcheck: ignore[XF1] y"\n', "yaml", []),
        ("a: |\n  # xfcheck: ignore[XF1] y\nb: 1\n", "yaml", []),
        ("a: |\n  text\n# xfcheck: ignore[XF1] y\nb: 1\n", "yaml", [3]),
        ("a: plain # xfcheck: ignore[XF1] y\n", "yaml", [1]),
        ('a = "# xfcheck: ignore[XF1] y"\nb = 1 # xfcheck: ignore[XF2] z\n', "toml", [2]),
        ('{"a": "# xfcheck: ignore[XF1] y"}', "json", []),
    ],
)
def test_a_text_is_no_comment(text: str, format: str, lines: list[int]) -> None:
    assert [comment.line for comment in comments(read_document(f"x.{format}", text=text))] == lines


def config(folder: Path, **keys: Any) -> Path:
    """A config written into a folder."""
    folder.mkdir(exist_ok=True)
    path = folder / "model.yaml"
    path.write_text(YAML.format(comment="") + "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items()))
    return path


def test_a_baseline_hides_what_it_knows_and_nothing_else(tmp_path: Path) -> None:
    path, base = config(tmp_path / "a"), tmp_path / "baseline.json"
    base.write_text(written(str(base), [lint(path)]))
    assert json.loads(base.read_text())["findings"] == [
        {"path": "a/model.yaml", "code": "XF104", "pointer": "/num_key_value_heads", "count": 1}
    ]
    path.write_text("# a line more\n" + path.read_text().replace("attention_heads: 4", "attention_heads: 8"))
    (left,), stale = subtracted(str(base), [lint(path)])
    assert ([p.finding.code for p in left.places], stale) == ([], 0), "the line and the numbers may change"
    other = config(tmp_path / "b")
    (left,), _ = subtracted(str(base), [lint(other)])
    assert [p.finding.code for p in left.places] == ["XF104"]


def test_an_entry_that_finds_nothing_is_counted_but_not_of_files_that_were_not_looked_at(tmp_path: Path) -> None:
    path, other, base = config(tmp_path / "a"), config(tmp_path / "b"), tmp_path / "baseline.json"
    base.write_text(written(str(base), [lint(path), lint(other)]))
    path.write_text(path.read_text().replace("heads: 3", "heads: 2"))
    (left,), stale = subtracted(str(base), [lint(path)])
    assert (left.places, stale) == ((), 1)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [1]}'])
def test_what_is_no_baseline_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(Usage, match="--baseline"):
        read(str(path))
    with pytest.raises(Usage, match="no such file"):
        read(str(tmp_path / "absent.json"))
