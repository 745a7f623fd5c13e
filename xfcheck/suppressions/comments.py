"""Comments in YAML and TOML that take findings of their line back: `# xfcheck: ignore[XF104] reason`.

A comment behind a value is about its line, one that stands alone about the next line that holds something. One that no finding needs is
reported itself (XF906): it would hide the next.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..rules._finding import Finding
from ..rules._registry import index

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..documents.document import Document
    from ..rules._selection import Selection

_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*xfcheck:\s*ignore\b(?:\[([^\]\n]*)\])?[ \t]*([^\n]*)", re.MULTILINE)

_TOML_STRING = re.compile(r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')


class Comment(NamedTuple):
    """One comment: its own line and column, the line it is about, its codes, its reason."""

    line: int
    column: int
    about: int
    codes: tuple[str, ...]
    reason: str


def comments(document: Document) -> list[Comment]:
    """The comments of a YAML or TOML text; `#` inside a text or a block is none."""
    if document.format not in ("yaml", "toml") or "xfcheck:" not in document.text:
        return []
    strings = _strings(document)
    out = []
    for found in _COMMENT.finditer(document.text):
        if any(start <= found.start() < end for start, end in strings):
            continue
        line = document.text.count("\n", 0, found.start()) + 1
        begin = document.text.rfind("\n", 0, found.start()) + 1
        alone = not document.text[begin : found.start()].strip()
        codes = tuple(code.strip().upper() for code in (found[1] or "").split(",") if code.strip())
        out.append(Comment(line, found.start() - begin + 1, _following(document, line) if alone else line, codes, found[2].strip()))
    return out


def _following(document: Document, line: int) -> int:
    lines = document.text.split("\n")
    return next((i + 1 for i in range(line, len(lines)) if (told := lines[i].strip()) and not told.startswith("#")), line)


def _strings(document: Document) -> list[tuple[int, int]]:
    if document.format == "toml":
        return [found.span() for found in _TOML_STRING.finditer(document.text)]
    import yaml

    try:
        tokens = list(yaml.scan(document.text, Loader=yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        return []
    # the end of a block scalar's token can reach over the comments behind it
    return [(t.start_mark.index, t.start_mark.index + len(document.text[t.start_mark.index : t.end_mark.index].rstrip()))
            for t in tokens if isinstance(t, yaml.ScalarToken) and (t.style or t.start_mark.line != t.end_mark.line)]  # fmt: skip


def kept(document: Document, findings: Iterable[Finding], selection: Selection, *, shared: bool = False) -> list[Finding]:
    """The findings of one file that no comment takes back, with those about the comments themselves.

    `shared`: another config reads the file too and may need what this one does not, so that nothing is said of unused comments.
    """
    found, told = list(findings), comments(document)
    if not told:
        return found
    name = document.path.rpartition("/")[2]
    out, used = [], set()
    for finding in found:
        about = [(i, c) for i, c in enumerate(told) if c.reason and finding.line == c.about]
        hits = [(i, code) for i, c in about for code in c.codes if finding.code.startswith(code)]
        used.update(hits)
        if not hits or finding.file != name:
            out.append(finding)
    for i, comment in enumerate(told):
        message = _fault(comment, {code for at, code in used if at == i}, selection)
        if message is not None and not (shared and comment.codes and comment.reason) and selection.shows("XF906", "warning", on=True):
            advice = "take it away" if comment.codes and comment.reason else "write `# xfcheck: ignore[XF104] reason`"
            severity = selection.severity("XF906", "warning")
            place = (name, "", comment.line, comment.column)
            out.append(Finding("XF906", "suppression-without-effect", severity, message, *place, advice, (), None))
    return sorted(out, key=lambda f: (f.line or 0, f.column or 0, f.code))


def _fault(comment: Comment, used: set[str], selection: Selection) -> str | None:
    if not comment.codes:
        return "the comment names no code, so it hides nothing"
    if not comment.reason:
        return "the comment gives no reason, so it hides nothing"
    # of a rule that was not asked for nothing can be said
    rules = index()
    unused = [c for c in comment.codes if c not in used and (c not in rules or selection.shows(c, rules[c].severity, on=rules[c].on))]
    return f"no finding of {', '.join(unused)} in the line this comment is about" if unused else None
