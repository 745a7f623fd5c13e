"""Fixing files: every edit is made, read back, and compared with what was meant before anything is written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ..documents.read import Unreadable, read_bytes, read_document
from ..problems import Usage
from .intended import NotApplicable, intended, same
from .splice import spliced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..documents.document import Document
    from ..documents.folder import ModelFolder
    from ..rules._finding import Finding, Fix

_LARGEST = 64_000_000


class Changed(NamedTuple):
    """A file that fixes change: its text before and after, how many findings that mends, whether it begins with a byte order mark."""

    path: str
    before: str
    after: str
    fixed: int
    bom: bool


def changes(folder: ModelFolder, findings: Iterable[Finding]) -> list[Changed]:
    """What the safe fixes of these findings make of the files; one that does not fit, or not together with those before it, is left out."""
    by_file: dict[str, list[Fix]] = {}
    for finding in findings:
        if finding.fix is not None and finding.fix.safe:
            by_file.setdefault(finding.file, []).append(finding.fix)
    out = []
    for name, fixes in by_file.items():
        config = folder.config
        document = config if config is not None and config.path.rpartition("/")[2] == name else folder.side(name)
        if document is None or any(p.severity == "error" for p in document.problems):
            continue
        count, now = 0, document
        for fix in dict.fromkeys(fixes) if all(map(_hashable, fixes)) else fixes:
            after = _fixed(now, fix)
            if after is not None:
                count, now = count + 1, after
        if count and now.text != document.text:
            out.append(Changed(document.path, document.text, now.text, count, document.bom))
    return out


def _hashable(fix: Fix) -> bool:
    try:
        hash(fix)
    except TypeError:
        return False
    return True


def _fixed(document: Document, fix: Fix) -> Document | None:
    """The document with all edits of a fix; None where one of them does not fit or the text does not read as was meant."""
    now = document
    for edit in fix.edits:
        try:
            wanted = intended(now.data, edit)
            text = spliced(now, edit)
        except NotApplicable:
            return None
        now = read_document(document.path, text=text, format=document.format)
        if any(p.severity == "error" for p in now.problems) or not same(now.data, wanted):
            return None
    return now


def write(change: Changed) -> None:
    """Write the file: whole or not at all, with its permissions, through a link. Raises Usage where it changed meanwhile or cannot be."""
    mark = b"\xef\xbb\xbf" if change.bom else b""
    path = os.path.realpath(change.path)
    part = f"{path}.{os.getpid()}.part"
    try:
        if read_bytes(path, _LARGEST) != mark + change.before.encode():
            raise Usage(f"{change.path} changed while it was checked: not fixed")
        mode = os.stat(path).st_mode & 0o7777  # noqa: PTH116
        with open(part, "wb") as file:  # noqa: PTH123
            file.write(mark + change.after.encode())
        os.chmod(part, mode)  # noqa: PTH101
        os.replace(part, path)  # noqa: PTH105
    except Unreadable as failure:
        raise Usage(f"{change.path}: {failure.problem.message}") from failure
    except OSError as error:
        raise Usage(f"{change.path} cannot be written: {error.strerror}") from error


def diff(change: Changed) -> str:
    """The change as a unified diff."""
    from difflib import unified_diff

    from ..reports.linted import relative
    from ..reports.plain import plain

    name = plain(relative(change.path))
    lines = unified_diff(_lines(change.before), _lines(change.after), f"a/{name}", f"b/{name}", lineterm="\n")
    out = []
    for line in lines:
        # a tab, and the CR of a line end, are part of what is patched
        end = "\r" if line.endswith(("\r", "\r\n")) else ""
        shown = "\t".join(plain(piece) for piece in line.rstrip("\r\n").split("\t")) + end
        out.append(shown if line.endswith("\n") else f"{shown}\n\\ No newline at end of file")
    return "".join(f"{line}\n" for line in out)


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], lines[-1][:-1]] if lines[-1] != "\n" else lines[:-1]
