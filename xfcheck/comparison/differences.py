"""What differs between two models, as answers to the six questions of a Transformer config."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..questions.answer import of_layers
from ..reports.inspection import QUESTIONS
from ..rules._context import Context

if TYPE_CHECKING:
    from ..model import Model


def changes(before: Model, after: Model) -> list[dict[str, Any]]:
    """Each field whose answers differ: the question's number and name, and both lists of values (empty where there is no such field)."""
    out: list[dict[str, Any]] = []
    for number, name in enumerate(QUESTIONS, 1):
        old, new = _answers(before, name), _answers(after, name)
        pairs = {key: (old.get(key, []), new.get(key, [])) for key in (*old, *new)}
        out += [{"question": number, "name": name, "field": key, "from": a, "to": b} for key, (a, b) in pairs.items() if a != b]
    return out


def _answers(model: Model, name: str) -> dict[str, list[Any]]:
    context = Context(model.folder)
    held: dict[str, list[Any]] = {}
    for answer in import_module(f"xfcheck.questions.{name}").answers(context, model, context.scope_of(model)):
        field, value = of_layers(answer.field, answer.value)
        values = held.setdefault(field, [])
        if answer.evidence is not None and value not in values:
            values.append(value)
    return held
