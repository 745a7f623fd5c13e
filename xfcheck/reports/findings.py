"""Findings for readers: text with the excerpt, or one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder
    from ..rules._engine import Report
    from ..rules._finding import Finding

CONTROL = {c: f"\\x{c:02x}" for c in (*range(9), *range(11, 32), *range(127, 160))} | {c: f"\\u{c:04x}" for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F)}
"""What no terminal should be sent from a file: control characters and changes of writing direction."""


def plain(text: str) -> str:
    """The text with control characters spelt out and line ends as spaces."""
    return text.replace("\n", " ").translate(CONTROL)


def concise(path: str, finding: Finding) -> str:
    """`path:line:column: CODE message`."""
    place = f":{finding.line}:{finding.column}" if finding.line is not None else ""
    return f"{plain(where(path, finding))}{place}: {finding.severity} {finding.code} {plain(finding.message)}"


def where(path: str, finding: Finding) -> str:
    """The file of a finding, reached from the path that was given."""
    if path.rpartition("/")[2] == finding.file:
        return path
    folder = path if not path.endswith((".json", ".yaml", ".yml", ".toml")) else path.rpartition("/")[0]
    return f"{folder.rstrip('/')}/{finding.file}" if folder else finding.file


def text(path: str, finding: Finding, folder: ModelFolder) -> str:
    """The finding with the line it is about, a caret, and what would be right."""
    lines = [concise(path, finding) + f" ({finding.name})"]
    document = folder.config if folder.config is not None and folder.config.path.rpartition("/")[2] == finding.file else None
    if document is None and finding.line is not None and folder.directory is not None:
        document = folder.side(finding.file)
    if document is not None and finding.line is not None and finding.column is not None:
        source = document.text.split("\n")[finding.line - 1 : finding.line]
        shown = plain(source[0].expandtabs(1)) if source else ""
        start = max(0, finding.column - 60)
        lines += [f"  {finding.line:>4} | {shown[start : start + 110]}", f"       | {' ' * (finding.column - 1 - start)}^"]
    if finding.help:
        lines.append(f"  help: {plain(finding.help)}")
    return "\n".join(lines)


def summary(reports: list[Report]) -> str:
    """Errors, warnings, infos in words."""
    count = counts(reports)
    hidden = sum(r.hidden for r in reports)
    more = f" ({hidden} more not shown; --extend-select ALL shows them)" if hidden else ""
    return f"{len(reports)} checked: {count['error']} errors, {count['warning']} warnings, {count['info']} infos{more}\n"


def counts(reports: list[Report]) -> dict[str, int]:
    """How many findings of each severity are shown."""
    out = {"error": 0, "warning": 0, "info": 0}
    for report in reports:
        for finding in report.findings:
            out[finding.severity] += 1
    return out
