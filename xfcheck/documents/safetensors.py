"""Headers of safetensors files and their index, never the tensors themselves.

Source: the format text of safetensors (README, "Format"): an unsigned 64-bit little-endian size N, N bytes of JSON that begin with "{"
and may end in spaces, then one byte buffer that the tensors cover without hole or overlap; offsets are relative to that buffer.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xfcheck.documents import limits
from xfcheck.documents.document import Problem, pointer_of
from xfcheck.documents.read import Unreadable, open_regular, posix, read_document

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = 3
"""Faults of one kind that are told one by one."""
_MEMBERS = frozenset(("dtype", "shape", "data_offsets"))
_TOO_LARGE = 2**63
DTYPE_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32, "U64": 64, "I64": 64,
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "C64": 64,
    "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}  # fmt: skip
"""Bits of one element of each dtype of the format."""


@dataclass(slots=True)
class Header:
    """The header of one file: `tensors` maps names to (dtype, shape) in file order, `size` is that of the file in bytes.

    What could be read is there even where `problems` says that something is wrong; `unreadable`: nothing could.
    """

    path: str
    tensors: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    size: int = 0
    unreadable: bool = False


@dataclass(slots=True)
class Index:
    """An index of shards: `weight_map` maps tensor names to file names; only plain file names beside the index are kept.

    `unreadable`: there is no map to be read.
    """

    path: str
    weight_map: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unreadable: bool = False


def read_header(path: str | Path) -> Header:
    """Read the header of a safetensors file; the body is never read. Nothing is raised: faults are `problems`."""
    header = Header(posix(path))
    try:
        raw = _header_bytes(header)
        entries = _entries(header, raw)
    except Unreadable as failure:
        header.problems.append(failure.problem)
        header.unreadable = True
        return header
    spans = [span for name, entry in entries if (span := _tensor(header, name, entry)) is not None]
    _cover(header, spans, header.size - 8 - len(raw))
    return header


def _header_bytes(header: Header) -> bytes:
    with open_regular(header.path) as file:
        try:
            header.size = os.fstat(file.fileno()).st_size
            head = file.read(8)
            length = int.from_bytes(head, "little")
            if len(head) < 8:
                raise Unreadable(Problem(f"{len(head)} bytes: a safetensors file begins with the 8 bytes of its header's size"))
            if head == b"version ":
                raise Unreadable(Problem("a Git LFS pointer, not the file itself", help="run `git lfs pull`"))
            if length > limits.SAFETENSORS_HEADER:
                raise Unreadable(Problem(f"a header of {length:,} bytes: the format allows {limits.SAFETENSORS_HEADER:,}"))
            if length > header.size - 8:
                raise Unreadable(Problem(f"a header of {length:,} bytes in a file of {header.size:,}: the file is cut off"))
            return file.read(length)
        except OSError as error:
            raise Unreadable(Problem(f"cannot be read: {error.strerror or error}")) from error


def _entries(header: Header, raw: bytes) -> list[tuple[str, Any]]:
    """Members of the header object in file order, duplicates included."""
    if raw[:1] != b"{":
        raise Unreadable(Problem("the header does not begin with '{'"))
    if raw.count(b",") > limits.LARGE_ELEMENTS:
        raise Unreadable(Problem("the header holds too many values"))
    try:
        text = raw.decode("utf-8")
        value = json.loads(text)
        entries = list(value.items()) if isinstance(value, dict) else []
        if entries and not _each_once(raw, value):
            entries = _with_duplicates(header, text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(Problem(f"the header is no JSON: {error}"[:200])) from error
    if raw.rstrip(b" ")[-1:] != b"}":
        header.problems.append(Problem("after the header's object only spaces may follow"))
    return entries


def _each_once(raw: bytes, value: dict[str, Any]) -> bool:
    """Whether no name is written twice, told by the quotes: ten a tensor, two for the metadata and four for each text in it."""
    metadata = value.get("__metadata__")
    texts = 2 + 4 * len(metadata) if isinstance(metadata, dict) else 0
    tensors = len(value) - ("__metadata__" in value)
    return b"\\" not in raw and raw.count(b'"') == 10 * tensors + texts


def _with_duplicates(header: Header, text: str) -> list[tuple[str, Any]]:
    pairs: list[list[tuple[str, Any]]] = []

    def keep(members: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs[:] = [members]
        value = dict(members)
        if len(value) != len(members) and len(header.problems) < limits.PROBLEMS:
            seen: set[str] = set()
            twice = next(key for key, _ in members if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            header.problems.append(Problem(f"duplicate name {json.dumps(twice)} in the header"))
        return value

    json.loads(text, object_pairs_hook=keep)
    # the hook is called for the outermost object last
    return pairs[0] if pairs else []


def _tensor(header: Header, name: str, entry: Any) -> tuple[int, int, str] | None:
    """Check and keep one member of the header; (begin, end, name) of its bytes, None where they are not known."""
    if name == "__metadata__":
        _metadata(header, entry)
        return None
    what = _entry_fault(entry)
    if what is not None:
        _report(header, name, what)
        return None
    dtype, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    header.tensors[name] = (dtype, shape)
    if dtype not in DTYPE_BITS:
        _report(header, name, f"the dtype {dtype[:40]!r} is not one of the format")
        return (begin, end, name)
    bits = DTYPE_BITS[dtype]
    for size in shape:
        bits *= size
        if bits.bit_length() > 80:
            break
    if bits % 8 or bits // 8 != end - begin:
        _report(header, name, f"{end - begin:,} bytes do not hold {dtype} of shape {list(shape)}"[:200])
    return (begin, end, name)


def _entry_fault(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return "is no object"
    if entry.keys() != _MEMBERS:
        return "must have dtype, shape and data_offsets, and nothing else"
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not isinstance(entry["dtype"], str):
        return "dtype is no text"
    if not isinstance(shape, list) or not _are_sizes(shape):
        return "shape is no list of sizes"
    if not isinstance(offsets, list) or len(offsets) != 2 or not _are_sizes(offsets) or offsets[0] > offsets[1]:
        return "data_offsets is no pair of rising offsets"
    return None


def _are_sizes(values: list[Any]) -> bool:
    for value in values:  # noqa: SIM110  a loop, as checkpoints have tens of thousands of tensors
        if type(value) is not int or not 0 <= value < _TOO_LARGE:
            return False
    return True


def _metadata(header: Header, entry: Any) -> None:
    if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
        header.problems.append(Problem("__metadata__ must map texts to texts", "/__metadata__"))
    if isinstance(entry, dict):
        header.metadata = {key: value for key, value in entry.items() if isinstance(value, str)}


def _report(header: Header, name: str, what: str) -> None:
    if len(header.problems) < limits.PROBLEMS:
        header.problems.append(Problem(f"tensor {name[:200]}: {what}", pointer_of(name)))


def _cover(header: Header, spans: list[tuple[int, int, str]], body: int) -> None:
    """The tensors must cover the byte buffer of `body` bytes with no hole and no overlap."""
    at = 0
    for begin, end, name in sorted(spans):
        if begin > at:
            _report(header, name, f"a hole of {begin - at:,} bytes before it")
        elif begin < at and end > begin:
            _report(header, name, "overlaps the tensor before it")
        at = max(at, end)
    if at > body:
        header.problems.append(Problem(f"the tensors need {at:,} bytes and the file holds {body:,}: it is cut off"))
    elif at < body:
        header.problems.append(Problem(f"{body - at:,} bytes after the last tensor belong to none"))


def read_index(path: str | Path) -> Index:
    """Read a `*.safetensors.index.json`. Nothing is raised: faults are `problems`, with their place in the file."""
    document = read_document(path, format="json")
    index = Index(document.path, problems=list(document.problems))
    data = document.data
    if data is None:
        index.unreadable = True
        return index
    if not isinstance(data, dict) or not isinstance(data.get("weight_map"), dict):
        index.unreadable = True
        index.problems.append(Problem("an index has an object weight_map from tensor names to file names", "", 1, 1))
        return index
    metadata = data.get("metadata", {})
    if isinstance(metadata, dict):
        index.metadata = metadata
    else:
        index.problems.append(Problem("metadata is no object", "/metadata", *(document.locate("/metadata") or (None, None))))
    strange: list[tuple[str, object]] = []
    for name, shard in data["weight_map"].items():
        if isinstance(shard, str) and shard and not set(shard) & set("/\\\0") and shard not in (".", ".."):
            index.weight_map[name] = shard
        else:
            strange.append((name, shard))
    for at, (name, shard) in enumerate(strange[:SHOWN]):
        pointer = pointer_of("weight_map", name)
        place = document.locate(pointer) or (None, None)
        more = f"; {len(strange) - SHOWN} more of this kind" if at + 1 == SHOWN < len(strange) else ""
        index.problems.append(Problem(f"{json.dumps(shard)[:80]} is no file name{more}", pointer, *place))
    return index
