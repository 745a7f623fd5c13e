"""Safe fixes: what was meant and nothing else changes, in every style of writing; what does not fit is left alone."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xfcheck.documents.read import read_document
from xfcheck.fixes.apply import Changed, changes, diff, write
from xfcheck.fixes.intended import NotApplicable, intended, same
from xfcheck.fixes.splice import spliced
from xfcheck.problems import Usage
from xfcheck.rules._finding import Edit, Finding, Fix

if TYPE_CHECKING:
    from pathlib import Path

JSON = '{\r\n\t"a": 1.0E5, "b" : "\\u00e9\\/",\r\n\t"c": {"d": [1, 2,3]},\r\n\t"e": null\r\n}\r\n'
YAML = "# top\na: 1e-5   # small\n'b': 'x'\nc:\n  d: [1, 2]\n  e: on  # a text\nf: {g: 1, h: 2}\nlast: yes\n"


def edited(text: str, edit: Edit, format: str = "json") -> str:
    """The text after an edit, checked as the tool checks it."""
    document = read_document(f"x.{format}", text=text, format=format)
    out = spliced(document, edit)
    assert same(read_document(f"x.{format}", text=out, format=format).data, intended(document.data, edit)), out
    return out


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Edit("rename", "/a", "z"), '"a": 1.0E5', '"z": 1.0E5'),
        (Edit("rename", "/c/d", "q/r~"), '{"d": [', '{"q/r~": ['),
        (Edit("set", "/b", "bfloat16"), '"\\u00e9\\/"', '"bfloat16"'),
        (Edit("set", "/c/d/1", 7), "[1, 2,3]", "[1, 7,3]"),
        (Edit("set", "/n", True), '"e": null', '"e": null,\r\n\t"n": true'),
        (Edit("set", "/c/n", 4), "2,3]}", '2,3], "n": 4}'),
        (Edit("delete", "/a"), '"a": 1.0E5, "b"', '"b"'),
        (Edit("delete", "/e"), ',\r\n\t"e": null\r\n}', "\r\n}"),
        (Edit("delete", "/c/d"), '{"d": [1, 2,3]}', "{}"),
    ],
)
def test_json(edit: Edit, old: str, new: str) -> None:
    assert JSON.count(old) == 1
    assert edited(JSON, edit) == JSON.replace(old, new)


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (Edit("rename", "/a", "z"), "a: 1e-5   #", "z: 1e-5   #"),
        (Edit("rename", "/b", "on"), "'b': ", "'on': "),
        (Edit("rename", "/c/e", "null"), "e: on", '"null": on'),
        (Edit("set", "/c/e", "yes it: is"), "e: on  #", 'e: "yes it: is"  #'),
        (Edit("set", "/b", "y"), "'x'", "'y'"),
        (Edit("set", "/c/n", 3), "# a text\n", "# a text\n  n: 3\n"),
        (Edit("set", "/f/i", 3), "h: 2}", "h: 2, i: 3}"),
        (Edit("delete", "/a"), "a: 1e-5   # small\n", ""),
        (Edit("delete", "/f/g"), "{g: 1, h: 2}", "{h: 2}"),
        (Edit("delete", "/last"), "last: yes\n", ""),
    ],
)
def test_yaml(edit: Edit, old: str, new: str) -> None:
    assert YAML.count(old) == 1
    assert edited(YAML, edit, "yaml") == YAML.replace(old, new)


@pytest.mark.parametrize(
    "edit", [Edit("rename", "/a", "b"), Edit("rename", "/x", "y"), Edit("delete", "/x"), Edit("set", "", 1), Edit("delete", "/c/d/0")]
)
def test_what_does_not_fit_is_refused(edit: Edit) -> None:
    with pytest.raises(NotApplicable):
        intended(read_document("x.json", text=JSON).data, edit)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=5),
    st.data(),
    st.sampled_from([None, 0, 3, "\t"]),
    st.sampled_from(["rename", "set", "delete"]),
    KEYS | VALUES,
)
def test_any_edit_of_any_object_reads_as_meant_or_is_refused(data: dict[str, Any], draw: Any, indent: Any, action: Any, value: Any) -> None:
    key = draw.draw(st.sampled_from(sorted(data)))
    if len(data) == 1 and next(iter(data)).startswith("__"):
        return
    edit = Edit(action, "/" + key.replace("~", "~0").replace("/", "~1"), value)
    document = read_document("x.json", text=json.dumps(data, indent=indent, ensure_ascii=False))
    if document.problems or not isinstance(document.data, dict):
        return
    try:
        wanted = intended(document.data, edit)
    except NotApplicable:
        return
    text = spliced(document, edit)
    assert same(read_document("x.json", text=text).data, wanted), text


def finding(*edits: Edit, safe: bool = True) -> Finding:
    """A finding with a fix."""
    return Finding("XF112", "unknown-key", "warning", "m", "config.json", "", 1, 1, None, (), Fix("f", edits, safe))


def folder(path: Path, text: bytes) -> Any:
    """A model folder with this config."""
    from xfcheck.documents.folder import open_model

    (path / "config.json").write_bytes(text)
    return open_model(path)


def test_fixes_that_collide_are_left_out(tmp_path: Path) -> None:
    there = folder(tmp_path, b'{"a": 1, "b": 2}')
    fixes = [
        finding(Edit("rename", "/a", "c")),
        finding(Edit("rename", "/b", "c")),
        finding(Edit("set", "/b", 3)),
        finding(Edit("delete", "/b"), safe=False),
    ]
    (made,) = changes(there, fixes)
    assert made.after == '{"c": 1, "b": 3}'
    assert made.fixed == 2


def test_a_file_with_problems_is_not_touched(tmp_path: Path) -> None:
    there = folder(tmp_path, b'{"a": 1, "a": 2,}')
    assert changes(there, [finding(Edit("rename", "/a", "c"))]) == []


def test_written_with_mark_mode_and_link(tmp_path: Path) -> None:
    there = folder(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n')
    real = tmp_path / "config.json"
    real.chmod(0o640)
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "config.json").symlink_to(real)
    write(Changed(str(tmp_path / "link" / "config.json"), '{"a": 1}\r\n', '{"b": 1}\r\n', 1, bom=True))
    assert real.read_bytes() == b'\xef\xbb\xbf{"b": 1}\r\n'
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert (tmp_path / "link" / "config.json").is_symlink()
    assert not list(tmp_path.glob("*.part"))
    del there


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text("{}")
    with pytest.raises(Usage, match="changed while"):
        write(Changed(str(path), '{"a": 1}', '{"b": 1}', 1, bom=False))
    assert path.read_text() == "{}"


def test_the_diff_is_one_that_patch_takes(tmp_path: Path) -> None:
    before, after = JSON.rstrip(), JSON.rstrip().replace('"a"', '"z"')
    (tmp_path / "x.json").write_bytes(before.encode())
    text = diff(Changed("x.json", before, after, 1, bom=False))
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=text.encode(),
        cwd=tmp_path,
        check=True,
        env={**os.environ, "GIT_DIR": str(tmp_path / ".git")},
    )
    assert (tmp_path / "x.json").read_bytes() == after.encode()


def test_fix_and_diff_from_the_command_line(tmp_path: Path) -> None:
    text = (
        '{\n  "model_type": "llama", "architectures": ["LlamaForCausalLM"],\n  "hidden_size": 64, "num_hidden_layers": 2,\n'
        '  "num_attention_heads": 4, "num_key_value_head": 2,\n  "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",\n'
        '  "rms_norm_eps": 1.0E-5\n}\n'
    )  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(text)

    def lint(*flags: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "xfcheck", "lint", "config.json", *flags], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    shown = lint("--diff")
    assert shown.returncode == 1
    assert '+  "num_attention_heads": 4, "num_key_value_heads": 2,' in shown.stdout.splitlines()
    assert path.read_text() == text
    fixed = lint("--fix", "--fail-on", "warning")
    assert fixed.returncode == 0, fixed.stdout
    assert "1 fixed" in fixed.stdout
    assert path.read_text() == text.replace('"num_key_value_head"', '"num_key_value_heads"')
    assert (lint("--diff").returncode, lint("--diff").stdout) == (0, "")
