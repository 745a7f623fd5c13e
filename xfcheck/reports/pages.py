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


def pages(rules: Iterable[Rule], how: str) -> str:
    """The pages of the rules, one after another."""
    if how == "json":
        return json.dumps(stamped({"rules": [_object(rule) for rule in rules]}), indent=2, ensure_ascii=False) + "\n"
    render = _markdown if how == "markdown" else _text
    return "\n".join(render(rule) for rule in rules)


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


def _text(rule: Rule) -> str:
    return f"{rule.code} {rule.name} ({rule.severity})\n\n{_bare(documentation(rule.code))}\n"


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
