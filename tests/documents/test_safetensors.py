"""Headers and indexes, right and wrong."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.documents.safetensors import read_header, read_index

if TYPE_CHECKING:
    from pathlib import Path


def tensor(dtype: str, shape: list[int], begin: int, end: int, **extra: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end], **extra}


def write(path: Path, header: Any, body: int, *, length: int | None = None) -> Path:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(raw) if length is None else length).to_bytes(8, "little") + raw + bytes(body))
    return path


GOOD = {
    "__metadata__": {"format": "pt"},
    "b": tensor("BF16", [2, 3], 16, 28),
    "a": tensor("F32", [4], 0, 16),
    "scalar": tensor("I64", [], 28, 36),
    "none": tensor("F32", [0, 7], 36, 36),
    "packed": tensor("F4", [3, 2], 36, 39),
}


def test_good_header(tmp_path: Path) -> None:
    header = read_header(write(tmp_path / "m.safetensors", GOOD, 39))
    assert header.problems == []
    assert header.metadata == {"format": "pt"}
    assert header.tensors == {
        "b": ("BF16", (2, 3)),
        "a": ("F32", (4,)),
        "scalar": ("I64", ()),
        "none": ("F32", (0, 7)),
        "packed": ("F4", (3, 2)),
    }
    assert header.size == 8 + len(json.dumps(GOOD)) + 39


def test_trailing_spaces_are_allowed(tmp_path: Path) -> None:
    assert read_header(write(tmp_path / "m.safetensors", json.dumps({"a": tensor("U8", [1], 0, 1)}).encode() + b"   ", 1)).problems == []


A = tensor("F32", [4], 0, 16)
BAD = {
    "hole": ({"a": A, "b": tensor("U8", [1], 17, 18)}, 18, "tensor b: a hole of 1 bytes before it", 2),
    "hole at the start": ({"a": tensor("U8", [1], 4, 5)}, 5, "tensor a: a hole of 4 bytes before it", 1),
    "overlap": ({"a": A, "b": tensor("U8", [4], 14, 18)}, 18, "tensor b: overlaps", 2),
    "wrong size": ({"a": tensor("F32", [5], 0, 16)}, 16, "tensor a: 16 bytes do not hold F32 of shape [5]", 1),
    "half a byte": ({"a": tensor("F4", [3], 0, 2)}, 2, "do not hold F4", 1),
    "huge shape": ({"a": tensor("F32", [2**62] * 50, 0, 16)}, 16, "do not hold F32", 1),
    "unknown dtype": ({"a": tensor("F12", [1], 0, 2)}, 2, "the dtype 'F12'", 1),
    "body too long": ({"a": A}, 17, "1 bytes after the last tensor belong to none", 1),
    "body too short": ({"a": A}, 15, "need 16 bytes and the file holds 15", 1),
    "unknown field": ({"a": {**A, "x": 1}}, 0, "must have dtype, shape and data_offsets", 0),
    "missing field": ({"a": {"dtype": "F32"}}, 0, "must have dtype, shape and data_offsets", 0),
    "no object": ({"a": [1]}, 0, "is no object", 0),
    "dtype a number": ({"a": tensor(1, [1], 0, 1)}, 0, "dtype is no text", 0),  # type: ignore[arg-type]
    "negative shape": ({"a": tensor("U8", [-1], 0, 1)}, 0, "shape is no list of sizes", 0),
    "shape of bools": ({"a": tensor("U8", [True], 0, 1)}, 0, "shape is no list of sizes", 0),
    "falling offsets": ({"a": tensor("U8", [1], 1, 0)}, 0, "no pair of rising offsets", 0),
    "metadata of numbers": ({"__metadata__": {"a": 1}}, 0, "__metadata__ must map texts to texts", 0),
    "duplicate": (
        b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}',
        2,
        "duplicate name",
        1,
    ),
    "duplicate in an entry": (
        b'{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        1,
        "duplicate name",
        1,
    ),
    "duplicate by an escape": (
        b'{"a":{"dtype":"U8","\\u0064type":"U8","shape":[1],"data_offsets":[0,1]}}',
        1,
        "duplicate name",
        1,
    ),
    "duplicate in the metadata": (
        b'{"__metadata__":{"a":"1","a":"2"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        1,
        "duplicate name",
        1,
    ),
    "leading space": (b" {}", 0, "does not begin with '{'", 0),
    "an array": (b"[]", 0, "does not begin with '{'", 0),
    "not JSON": (b"{oops}", 0, "the header is no JSON", 0),
    "not UTF-8": (b'{"\xff":1}', 0, "the header is no JSON", 0),
    "deep": (b'{"a":' + b"[" * 200_000, 0, "the header is no JSON", 0),
    "newline after": (b"{}\n", 0, "only spaces may follow", 0),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_header(name: str, tmp_path: Path) -> None:
    content, body, message, kept = BAD[name]
    header = read_header(write(tmp_path / "m.safetensors", content, body))
    assert len(header.problems) == 1, header.problems
    assert message in header.problems[0].message
    assert len(header.tensors) == kept


def test_sizes_that_lie(tmp_path: Path) -> None:
    for length, message in ((2**63, "the format allows 100,000,000"), (1000, "cut off")):
        header = read_header(write(tmp_path / "m.safetensors", b"{}", 0, length=length))
        assert [message in problem.message for problem in header.problems] == [True]
    (tmp_path / "m.safetensors").write_bytes(b"\x01")
    assert "begins with the 8 bytes" in read_header(tmp_path / "m.safetensors").problems[0].message
    (tmp_path / "m.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    assert "Git LFS" in read_header(tmp_path / "m.safetensors").problems[0].message
    assert "no such file" in read_header(tmp_path / "none.safetensors").problems[0].message
    assert "a folder" in read_header(tmp_path).problems[0].message


def test_many_shards_are_read_soon_and_bodies_never(tmp_path: Path) -> None:
    names = {
        f"model.layers.{i}.mlp.experts.{j}.w": tensor("BF16", [2**14, 2**10], at := (i * 16 + j) * 2**25, at + 2**25)
        for i in range(16)
        for j in range(16)
    }
    for shard in range(200):
        path = write(tmp_path / f"model-{shard:05}-of-00200.safetensors", names, 0)
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size + 256 * 2**25)
    start = time.process_time()
    headers = [read_header(path) for path in sorted(tmp_path.iterdir())]
    assert time.process_time() - start < 1
    assert not any(header.problems for header in headers)
    assert {len(header.tensors) for header in headers} == {256}


def test_index(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors.index.json"
    path.write_text('{"metadata": {"total_size": 4},\n "weight_map": {"a": "m1.safetensors",\n "b": "../x", "c": 1, "d": ""}}')
    index = read_index(path)
    assert index.weight_map == {"a": "m1.safetensors"}
    assert index.metadata == {"total_size": 4}
    assert [(p.pointer, p.line, p.column) for p in index.problems] == [
        ("/weight_map/b", 3, 7), ("/weight_map/c", 3, 20), ("/weight_map/d", 3, 28),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["[]", "{}", '{"weight_map": []}', "{", ""])
def test_bad_index(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(text)
    index = read_index(path)
    assert index.weight_map == {}
    assert len(index.problems) == 1
