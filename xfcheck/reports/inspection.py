"""The six questions with their answers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..questions.answer import of_layers
from .plain import plain

if TYPE_CHECKING:
    from ..model import Model
    from ..questions.answer import Answer
    from ..rules._context import Context

QUESTIONS = ("dimensions", "masks", "positions", "blocks", "moe", "vocabulary")
"""Modules of `xfcheck.questions`, in the order of the checklist."""


def inspection(context: Context, model: Model) -> dict[str, Any]:
    """The JSON object of `inspect`: per question its answers with evidence, and what is not answered."""
    scope = context.scope_of(model)
    questions = []
    for number, name in enumerate(QUESTIONS, 1):
        module = import_module(f"xfcheck.questions.{name}")
        found = _once(module.answers(context, model, scope))
        answered = [_object(a) for a in found if a.evidence is not None]
        missing = [{"field": a.field, "missing": a.missing} for a in found if a.evidence is None]
        question = {
            "number": number,
            "name": name,
            "question": module.QUESTION,
            "answered": not missing,
            "answers": answered,
            "not_answered": missing,
        }
        if hasattr(module, "table"):
            question["table"] = module.table(context, model, scope)
        questions.append(question)
    return {"model_type": model.model_type, "fidelity": model.fidelity, "questions": questions}


def _once(answers: Any) -> list[Answer]:
    out: list[Answer] = []
    for answer in answers:
        if answer not in out:
            out.append(answer)
    return out


def _object(answer: Answer) -> dict[str, Any]:
    evidence = answer.evidence
    return {"field": answer.field, "value": answer.value, "evidence": None if evidence is None else evidence._asdict()}


COLUMNS = ((24, 32), (36, 60))
"""Least and greatest width of the field and of the value."""


def render(result: dict[str, Any]) -> str:
    """Unanswered questions first, then each answer with its source."""
    lines = [f"{plain(result['path'])}  {plain(result['model_type'])}  {result['fidelity']}"]
    open_ = [(q, m) for q in result["questions"] for m in q["not_answered"]]
    if open_:
        lines.append("not answered:")
        lines += [f"  {q['number']} {m['field']}: needs {m['missing']}" for q, m in open_]
    for question in result["questions"]:
        lines.append(f"{question['number']} {question['question']}")
        lines += _answers(question["answers"])
        lines += _table(question.get("table", []))
    return "\n".join(lines) + "\n"


def _answers(answers: list[dict[str, Any]]) -> list[str]:
    """Field, value and source in columns; what does not fit into its column pushes the source to a line of its own."""
    rows = []
    for answer in answers:
        evidence = answer["evidence"]
        line = f":{evidence['line']}" if evidence["line"] else ""
        field, value = of_layers(str(answer["field"]), answer["value"])
        rows.append((field, plain(_shown(value)), f"{plain(evidence['detail'])}{line}"))
    # of what fits at all, so that one long value does not move the others
    wide = [max([least, *(len(row[at]) for row in rows if len(row[at]) <= most)]) for at, (least, most) in enumerate(COLUMNS)]
    out = []
    for field, value, source in rows:
        said = f"  {field:<{wide[0]}} {value:<{wide[1]}}"
        fits = len(said) == wide[0] + wide[1] + 3
        out += [f"{said} {source}"] if fits else [said.rstrip(), f"{' ' * (wide[0] + wide[1] + 4)}{source}"]
    return out


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """Rows of one shape as aligned columns; a column without a value is left out."""
    columns = [key for key in (rows[0] if rows else ()) if any(row[key] is not None for row in rows)]
    cells = [columns, *([plain("-" if row[key] is None else _shown(row[key])) for key in columns] for row in rows)]
    wide = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    return ["    " + "  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in cells] if columns else []


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
