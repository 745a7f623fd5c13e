"""The page of a rule, as text, markdown or JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..rules._registry import documentation
from .envelope import stamped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..rules._registry import Rule

FORMATS = ("text", "markdown", "json")
TITLE = re.compile(r"^## (.+)$", re.MULTILINE)

PARAGRAPH = re.compile(r"^(?!#)(.+)\n(?=[^\s#|*-])", re.MULTILINE)
"""A line of a paragraph that goes on in the next."""


def pages(rules: Iterable[Rule], how: str, columns: int | None = None) -> str:
    """The pages of the rules, one after another; as text with paragraphs that fit into `columns`."""
    if how == "json":
        return json.dumps(stamped({"rules": [_object(rule) for rule in rules]}), indent=2, ensure_ascii=False) + "\n"
    return "\n".join(_markdown(rule) if how == "markdown" else _text(rule, columns) for rule in rules)


def _object(rule: Rule) -> dict[str, Any]:
    page = documentation(rule.code)
    parts = TITLE.split(page)
    sections = {parts[i].strip().rstrip("?").lower().replace(" ", "_"): parts[i + 1].strip() for i in range(1, len(parts), 2)}
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "status": rule.status,
        "on": rule.on,
        "summary": parts[0].strip(),
        **sections,
    }


def _markdown(rule: Rule) -> str:
    return f"# {rule.code} {rule.name}\n\n*{rule.severity}*\n\n{documentation(rule.code).strip()}\n"


def _text(rule: Rule, columns: int | None) -> str:
    page = documentation(rule.code)
    if columns is not None:
        from .terminal import fitted

        # every second part is an example between fences, whose lines are its own
        parts = page.split("```")
        parts[::2] = [fitted(PARAGRAPH.sub(r"\1 ", part), columns, hanging=0) for part in parts[::2]]
        page = "```".join(parts)
    return f"{rule.code} {rule.name} ({rule.severity})\n\n{_bare(page)}\n"


def _bare(page: str) -> str:
    page = TITLE.sub(lambda m: m.group(1).upper(), page.strip())
    return re.sub(r"^```.*\n?", "", page, flags=re.MULTILINE)


def summary_of(code: str) -> str:
    """The first sentence of what the rule does, in one line."""
    page = documentation(code)
    parts = TITLE.split(page)
    told = parts[0].strip() or (parts[2].strip() if len(parts) > 2 else "")
    return " ".join(told.partition("\n\n")[0].split())


def page_text(code: str) -> tuple[str, str]:
    """The rule's page as plain text and as Markdown."""
    page = documentation(code).strip()
    return _bare(page), page
