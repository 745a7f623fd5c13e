"""The JSON of `lint` as types: what `xfcheck.lint` gives, and what the schema of the report is made from."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict  # that of typing is not read by Pydantic before Python 3.12


class EditObject(TypedDict):
    """One change of a file."""

    action: Literal["rename", "set", "delete"]
    pointer: str
    value: Any


class FixObject(TypedDict):
    """Edits that make a finding go away."""

    description: str
    safe: bool
    edits: list[EditObject]


class RelatedObject(TypedDict):
    """Another place that a finding is about."""

    message: str
    file: str
    pointer: str
    line: int | None


class FindingObject(TypedDict):
    """One finding: `line` and `column` are 1-based and count code points, null where the file has no such place; `pointer` is RFC 6901."""

    code: str
    name: str
    severity: Literal["error", "warning", "info"]
    message: str
    file: str
    pointer: str
    line: int | None
    column: int | None
    help: str | None
    related: list[RelatedObject]
    fix: FixObject | None


class FileObject(TypedDict):
    """What was found about one path."""

    path: str
    model_type: str | None
    fidelity: Literal["exact", "estimated"] | None
    findings: list[FindingObject]


class _Counts(TypedDict):
    error: int
    warning: int
    info: int
    not_shown: int


class Summary(_Counts, total=False):
    """Counts of the findings; `not_shown` are infos that are off; `rules`, by code, with `--statistics`."""

    rules: dict[str, int]


class LintDocument(TypedDict):
    """The whole document."""

    schema_version: int
    tool_version: str
    files: list[FileObject]
    summary: Summary
