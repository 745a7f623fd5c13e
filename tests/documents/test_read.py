"""Files that are no files, limits of size and time, standard input, and what is imported."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from xfcheck.documents import limits
from xfcheck.documents.read import read_document

if TYPE_CHECKING:
    from pathlib import Path


def only_message(path: str | Path) -> str:
    document = read_document(path)
    assert document.data is None
    assert [problem.severity for problem in document.problems] == ["error"]
    return document.problems[0].message


def test_missing_folder_and_odd_paths(tmp_path: Path) -> None:
    assert only_message(tmp_path / "none.json") == "no such file"
    assert only_message(tmp_path) == "is a folder, not a file"
    assert "null" in only_message("a\0b.json")
    assert "cannot be read" in only_message("x" * 5000 + ".json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_pipe_and_device_do_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    assert "a pipe or a device" in only_message(tmp_path / "config.json")
    assert "a pipe or a device" in only_message("/dev/zero")


def test_link_loop(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("b.json")
    (tmp_path / "b.json").symlink_to("a.json")
    assert "cannot be read" in only_message(tmp_path / "a.json")


def test_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(10**12)
    start = time.perf_counter()
    assert "larger than 16,000,000 bytes" in only_message(path)
    assert time.perf_counter() - start < 0.2


def test_standard_input_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}')))
    document = read_document("-")
    assert (document.path, document.format, document.data) == ("-", "json", {"a": 1})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[" * (limits.CONFIG_BYTES + 1))))
    assert "larger than" in only_message("-")


@pytest.mark.parametrize(
    ("text", "format"), [("a: 1\n", "yaml"), ('{"a": 1}', "json"), ("a = 1\n", "toml"), ("[t]\na = 1\n", "toml"), ("- a\n- b\n", "yaml")]
)
def test_format_is_told_by_content(text: str, format: str) -> None:
    document = read_document("-", text=text)
    assert document.format == format
    assert not document.problems


HOSTILE = {
    "open brackets": ("x.json", "[" * 8_000_000),
    "open objects": ("x.json", '{"a":' * 2_500_000),
    "many lists": ("x.json", "[" + "[]," * 5_000_000 + "[]]"),
    "digits": ("x.json", "[" + "9" * 15_000_000 + "]"),
    "open string": ("x.json", '"' + "a" * 15_000_000),
    "open comment": ("x.json", "/*" + "*" * 15_000_000),
    "not numbers": ("x.json", "[" + "NaN," * 400_000 + "NaN]"),
    "no commas": ("x.json", "[" + "1 " * 900_000 + "]"),
    "duplicates": ("x.json", "{" + '"a":1,' * 300_000 + '"a":1}'),
    "comments": ("x.json", "//\n" * 600_000 + "1"),
    "single quotes": ("x.json", "{'a':" * 300_000),
    "yaml brackets": ("x.yaml", "[" * 1_000_000),
    "yaml scalar": ("x.yaml", "a: " + "x" * 3_900_000),
    "yaml anchors": ("x.yaml", "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20))),
    "toml brackets": ("x.toml", "a = " + "[" * 500_000),
    "toml parts": ("x.toml", "a." * 400_000 + "b = 1"),
    "toml digits": ("x.toml", "a = " + "9" * 900_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_soon(name: str) -> None:
    path, text = HOSTILE[name]
    start = time.process_time()
    document = read_document(path, text=text)
    taken = time.process_time() - start
    assert document.problems or name == "yaml scalar"
    assert taken < 1.5  # one second and what a busy machine adds


def test_yaml_events_are_bounded() -> None:
    start = time.process_time()
    document = read_document("x.yaml", text="- 1\n" * 900_000)
    assert "YAML events" in document.problems[0].message
    assert time.process_time() - start < 3


def test_values_are_bounded_and_commas_in_texts_do_not_count() -> None:
    assert "more than 1,000,000 values" in read_document("c.json", text="[" + "0," * limits.ELEMENTS + "0]").problems[0].message
    long_text = json.dumps({"chat_template": '[,"\\' * 400_000})
    assert not read_document("c.json", text=long_text).problems


def test_the_pure_yaml_loader_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    text = "a: 1e-5\nb: &x [1, {c: 'd'}]\ne: *x\nf: |\n  g\n"
    fast = read_document("x.yaml", text=text)
    places = {pointer: fast.span(pointer) for pointer in ("/a", "/b/1/c", "/e", "/f")}
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    slow = read_document("x.yaml", text=text)
    assert fast.data == slow.data == {"a": 1e-5, "b": [1, {"c": "d"}], "e": [1, {"c": "d"}], "f": "g\n"}
    assert places == {pointer: slow.span(pointer) for pointer in places}


def test_json_imports_little() -> None:
    code = (
        "import sys; from xfcheck.documents.read import read_document; from xfcheck.documents.folder import open_model;"
        "d = read_document('c.json', text='{\"a\": 1}'); d.locate('/a'); open_model('/').xfcheck.train.batch;"
        "print(sorted({'yaml', 'pydantic', 'tomllib', 'difflib', 'pathlib', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
