"""What rules say, and what becomes of it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Severity = Literal["error", "warning", "info"]
LEVELS: dict[str, int] = {"info": 0, "warning": 1, "error": 2}


class Edit(NamedTuple):
    """One change of a file: `rename` names the key at `pointer` `value`; `set` replaces the value or adds the key; `delete` removes it."""

    action: Literal["rename", "set", "delete"]
    pointer: str
    value: Any = None


class Fix(NamedTuple):
    """Edits that make the finding go away. `safe`: what the config means to its reader stays, or becomes what was plainly meant."""

    description: str
    edits: tuple[Edit, ...]
    safe: bool = True


class Related(NamedTuple):
    """Another place that the finding is about."""

    message: str
    pointer: str
    file: str | None = None


class Hit(NamedTuple):
    """One thing a rule found: a message with the numbers, where, what would be right.

    `pointer` is a JSON pointer; `key` marks the key rather than the value. `severity` null is the rule's own; `file` null is the config.
    """

    message: str
    pointer: str = ""
    help: str | None = None
    severity: Severity | None = None
    file: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    key: bool = False


class Finding(NamedTuple):
    """A hit of a rule, placed in its file. `line` and `column` are 1-based, null where the file has no such place."""

    code: str
    name: str
    severity: str
    message: str
    file: str
    pointer: str
    line: int | None
    column: int | None
    help: str | None
    related: tuple[dict[str, Any], ...]
    fix: Fix | None

    def as_json(self) -> dict[str, Any]:
        """The object of a report."""
        fix = None if self.fix is None else {
            "description": self.fix.description, "safe": self.fix.safe, "edits": [e._asdict() for e in self.fix.edits],
        }  # fmt: skip
        return {**self._asdict(), "related": list(self.related), "fix": fix}
