"""Reads a file into a Document: a config, a file beside it, a recipe. Bad content is a problem of the Document, never an exception.

Nothing is executed and nothing fetched. Special files (pipes, devices) are refused without being opened; sizes are bounded by `limits`.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from xfcheck.documents import limits
from xfcheck.documents.document import Document, Lines, Problem
from xfcheck.documents.json_reader import json_spans, read_json

if TYPE_CHECKING:
    from pathlib import Path

_SUFFIXES = {
    ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml",
    ".jinja": "text", ".jinja2": "text", ".j2": "text", ".txt": "text", ".md": "text", ".py": "text", ".sh": "text",
}  # fmt: skip
# compiled where a name tells no format
_TOML_LINE = r"^(?:\[{1,2}[\w.\"' -]+\]{1,2}\s*(?:#.*)?$|[\w.\"'-]+\s*=)"


class Unreadable(Exception):  # noqa: N818  named for what it says of the file
    """The bytes of a file cannot be had, or are no text; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_document(path: str | Path, *, text: str | bytes | None = None, format: str | None = None) -> Document:
    """Read `path` ("-": standard input), or take `text` as its content.

    `format` ("json", "yaml", "toml", "text") is told by the suffix where not given, else by the content. A missing or unreadable file, a
    folder, a pipe, a file too large, bytes that are no UTF-8, and every fault of the content become problems; nothing is raised.
    """
    name = posix(path)
    known = format or _SUFFIXES.get(os.path.splitext(name)[1].lower())  # noqa: PTH122  pathlib is not needed for anything else here
    try:
        raw: str | bytes = text if text is not None else read_bytes(name, limits.byte_limit(name, known or "json"))
        if len(raw) > limits.byte_limit(name, known or "json"):
            raise Unreadable(_too_large(limits.byte_limit(name, known or "json")))
        decoded, bom = decode(raw)
    except Unreadable as failure:
        return Document(name, known or "json", "", None, [failure.problem])
    document = _parse(name, known or _sniff(decoded), decoded)
    document.bom = bom
    if bom and document.format in ("json", "toml"):
        told = "save the file as UTF-8 without a byte order mark: strict readers refuse it"
        document.problems.insert(0, Problem("byte order mark at the start of the file", "", 1, 1, told))
    return document


def posix(path: str | Path) -> str:
    """A path as text with forward slashes."""
    name = os.fspath(path)
    return name.replace(os.sep, "/") if os.sep != "/" else name


def read_bytes(path: str, limit: int) -> bytes:
    """At most `limit` bytes of a regular file, or of standard input for "-". Raises Unreadable, also where there is more."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with open_regular(path) as file:
                if os.fstat(file.fileno()).st_size > limit:
                    raise Unreadable(_too_large(limit))
                data = file.read(limit + 1)
    except (OSError, ValueError, AttributeError) as error:
        raise Unreadable(Problem(_os_message(error))) from error
    if len(data) > limit:
        raise Unreadable(_too_large(limit))
    return data


def open_regular(path: str) -> BinaryIO:
    """Open a regular file for reading bytes. Raises Unreadable for anything else, and never blocks on a pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        # stat first: opening a device can act on it; O_NONBLOCK: a pipe put there in between must not block
        _refuse_special(os.stat(path).st_mode)  # noqa: PTH116
        file: BinaryIO = open(os.open(path, flags), "rb")  # noqa: PTH123, SIM115  a descriptor; the caller closes
    except (OSError, ValueError) as error:
        raise Unreadable(Problem(_os_message(error))) from error
    try:
        _refuse_special(os.fstat(file.fileno()).st_mode)
    except Unreadable:
        file.close()
        raise
    return file


def _refuse_special(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise Unreadable(Problem("is a folder, not a file"))
    if not stat.S_ISREG(mode):
        raise Unreadable(Problem("is a pipe or a device, not a file", help='give "-" and pipe the text into standard input'))


def _too_large(limit: int) -> Problem:
    return Problem(f"larger than {limit:,} bytes, the most that is read of such a file")


def _os_message(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or error}"
    return f"cannot be read: {error}"


def decode(raw: str | bytes) -> tuple[str, bool]:
    """Text of UTF-8 bytes, without a byte order mark, and whether there was one. Raises Unreadable for any other content."""
    if isinstance(raw, str):
        # a lone surrogate could never be written out again
        clean = raw.encode("utf-8", "replace").decode("utf-8")
        return (clean[1:], True) if clean.startswith("\ufeff") else (clean, False)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or (len(raw) > 3 and raw[:1] != b"\0" and raw[1:2] == b"\0" == raw[3:4]):
        raise Unreadable(Problem("UTF-16 text", "", 1, 1, "save the file as UTF-8"))
    body = raw.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in body or body[:4] in (b"PK\x03\x04", b"GGUF", b"\x1f\x8b\x08\x00") or body[:2] in (b"\x80\x02", b"\x80\x04"):
        raise Unreadable(Problem("a binary file, not text", "", 1, 1, "give the config.json of the model, not its weights"))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = Lines(body[: error.start].decode("utf-8")).at(len(body[: error.start].decode("utf-8")))
        told = "save the file as UTF-8; it may be Latin-1 or Windows-1252"
        raise Unreadable(Problem(f"byte 0x{body[error.start]:02X} is no UTF-8", "", line, column, told)) from error
    return text, len(body) != len(raw)


def _sniff(text: str) -> str:
    start = text.lstrip()[:1]
    if start in ("{", "[", "") and not re.match(_TOML_LINE, text.lstrip()[:200], re.MULTILINE):
        return "json"
    head = text[:10_000]
    return "toml" if re.search(_TOML_LINE, head, re.MULTILINE) and not re.search(r"^[\w-]+:\s", head, re.MULTILINE) else "yaml"


def _parse(name: str, format: str, text: str) -> Document:
    if format == "text":
        return Document(name, format, text, text)
    stand_in = _stand_in(text)
    if stand_in is not None:
        return Document(name, format, text, None, [stand_in])
    elements = limits.element_limit(name)
    if format == "yaml":
        return _parse_yaml(name, text, elements)
    if format == "toml":
        return _parse_toml(name, text, elements)
    data, problems, _ = read_json(text, elements=elements)
    return Document(name, "json", text, data, problems, spans=lambda: json_spans(text, elements=elements))


def _stand_in(text: str) -> Problem | None:
    """A text that stands where the file should be: the pointer of a large-file store, or an error page."""
    start = text[:200].lstrip().lower()
    if start.startswith("version https://git-lfs"):
        return Problem("a Git LFS pointer, not the file itself", "", 1, 1, "run `git lfs pull`")
    if start.startswith(("<!doctype html", "<html")):
        return Problem("an HTML page, not a config", "", 1, 1, "the download gave an error or login page: get the raw file")
    return None


def _parse_yaml(name: str, text: str, elements: int) -> Document:
    # JSON is YAML (1.2.2 section 1.3), and needs no YAML library; what is not quite JSON is judged as YAML
    if text.lstrip()[:1] == "{":
        data, problems, strict = read_json(text, elements=elements)
        if strict and not problems:
            return Document(name, "yaml", text, data, [], spans=lambda: json_spans(text, elements=elements))
    from xfcheck.documents.yaml_reader import YamlText

    read = YamlText(text, elements=elements)
    return Document(name, "yaml", text, read.value, read.problems, spans=lambda: read.spans)


def _parse_toml(name: str, text: str, elements: int) -> Document:
    from xfcheck.documents.toml_reader import read_toml, toml_spans

    data: Any
    data, problems = read_toml(text, elements=elements)
    return Document(name, "toml", text, data, problems, spans=lambda: toml_spans(text))
