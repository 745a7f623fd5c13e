"""Running the rules over one config."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from ..recipes import as_recipe
from ._context import Context
from ._finding import Finding, Hit
from ._registry import check_of, index
from ._selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..documents.document import Document, Problem
    from ..documents.folder import ModelFolder
    from ..sample import Sample
    from ._registry import Rule


class Report(NamedTuple):
    """The findings about one path: those shown, how many infos were not, and whether a rule crashed (exit 2 at the end).

    `sample` has the counts of the rows that were judged with it, null without any.
    """

    model_type: str | None
    fidelity: str | None
    findings: list[Finding]
    hidden: int
    crashed: bool
    sample: Sample | None = None


def lint(folder: ModelFolder, selection: Selection | None = None) -> Report:
    """All findings about a config and the files beside it. A rule that raises is XF900 and everything else is still reported."""
    selection = Selection() if selection is None else selection
    folder = as_recipe(folder)
    found, crashed, hidden = list(_problems(folder)), False, 0
    model_type = fidelity = None
    if folder.config is not None and isinstance(folder.config.data, dict):
        context = Context(folder)
        for rule in _needed(selection, facts(context)):
            try:
                for hit in check_of(rule.code)(context):
                    hit = hit if context.recipe is None else context.recipe.placed(hit)  # noqa: PLW2901
                    severity = selection.severity(rule.code, hit.severity or rule.severity)
                    # to find its line a file is read a second time: not for what nobody sees
                    if severity == "info" and not _visible(selection, rule.code, "info"):
                        hidden += 1
                    else:
                        found.append(_placed(context, rule, hit, severity))
            except Exception as error:  # a rule that crashes must not cost the others' findings
                crashed = True
                found.append(_crash(folder, rule, error))
        found.extend(_refusal(context, found))
        found.extend(_problem(name, p) for name, p in folder.problems_beside())
        given = context.data.get("model_type")
        model_type = given if isinstance(given, str) else None
        fidelity = None if context.model is None else context.model.fidelity
    shown = [f for f in found if _visible(selection, f.code, f.severity)]
    shown.sort(key=lambda f: (f.file, f.line or 0, f.column or 0, f.code))
    hidden += sum(1 for f in found if f.severity == "info") - sum(1 for f in shown if f.severity == "info")
    return Report(model_type, fidelity, shown, hidden, crashed)


@functools.lru_cache(maxsize=16)
def _by_fact(selection: Selection) -> dict[str, list[Rule]]:
    """Fact -> the rules of the selection that need it or another."""
    out: dict[str, list[Rule]] = {}
    for rule in index().values():
        for fact in rule.needs if selection.runs(rule) else ():
            out.setdefault(fact, []).append(rule)
    return out


def _needed(selection: Selection, present: set[str]) -> list[Rule]:
    """The rules of the selection of whose needs one is present, by code."""
    by_fact = _by_fact(selection)
    found = {rule.code: rule for fact in present & by_fact.keys() for rule in by_fact[fact]}
    return [found[code] for code in sorted(found)]


def _visible(selection: Selection, code: str, severity: str) -> bool:
    """Whether a finding is reported. An error's rule is on, its infos are not: only a rule of severity info can have its infos on."""
    rule = index().get(code)
    on = bool(selection.severity(code, "")) or (rule is not None and rule.on and rule.severity == "info")
    return selection.shows(code, severity, on=on)


def facts(context: Context) -> set[str]:
    """What is present.

    Keys at any depth, `file:NAME` of side files (`file:*.safetensors`: any part of a checkpoint), `yaml:SECTION` of xfcheck.yaml, and
    `always`.
    """
    out = {"always"}
    todo: list[Any] = [context.data]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            out.update(value)
            todo.extend(v for v in value.values() if isinstance(v, dict))
    names = context.folder.beside()
    out.update(f"file:{name}" for name in names)
    if any(name.endswith((".safetensors", ".safetensors.index.json")) for name in names):
        out.add("file:*.safetensors")
    if context.recipe is not None:
        out.add("recipe")
    settings = context.folder.xfcheck
    out.update(f"yaml:{name}" for name in ("train", "deploy", "kernel") if getattr(settings, name, None))
    return out


def _placed(context: Context, rule: Rule, hit: Hit, severity: str) -> Finding:
    """A hit with its line and column."""
    document = context.document if hit.file is None else context.folder.side(hit.file)
    line, column = _position(document, hit.pointer, key=hit.key)
    related = tuple(
        {"message": r.message, "file": _name(context.document) if r.file is None else r.file, "pointer": r.pointer,
         "line": _position(context.document if r.file is None else context.folder.side(r.file), r.pointer)[0]}
        for r in hit.related
    )  # fmt: skip
    return Finding(
        rule.code,
        rule.name,
        severity,
        hit.message,
        hit.file or _name(context.document),
        hit.pointer,
        line,
        column,
        hit.help,
        related,
        hit.fix,
    )


def _position(document: Document | None, pointer: str, *, key: bool = False) -> tuple[int | None, int | None]:
    found = None if document is None else document.locate(pointer, key=key)
    return (None, None) if found is None else found


def _name(document: Document) -> str:
    return document.path.rpartition("/")[2]


def _problems(folder: ModelFolder) -> Iterator[Finding]:
    """What is wrong with the files as files: XF901, and XF905 for xfcheck.yaml."""
    if folder.config is None:
        yield Finding("XF901", "file-problem", "error", "the folder holds no config.json", "config.json", "", None, None, None, (), None)
        return
    yield from (_problem(_name(folder.config), p) for p in folder.config.problems)
    yield from (_problem("xfcheck.yaml", p) for p in folder.xfcheck_problems)


def _problem(file: str, p: Problem) -> Finding:
    name = "xfcheck-yaml-unknown-key" if p.code == "XF905" else "file-problem"
    return Finding(p.code, name, p.severity, p.message, file, p.pointer, p.line, p.column, p.help, (), None)


def _crash(folder: ModelFolder, rule: Rule, error: Exception) -> Finding:
    message = f"rule {rule.code} ({rule.name}) crashed: {type(error).__name__}; please report it with this config"
    file = folder.path if folder.config is None else _name(folder.config)
    return Finding("XF900", "rule-crashed", "error", message, file, "", None, None, str(error)[:200] or None, (), None)


def _refusal(context: Context, found: Iterable[Finding]) -> Iterator[Finding]:
    """Why no model can be built, unless a rule has said so already."""
    if context.model is not None or context.refused is None:
        return
    refused = context.refused
    if refused.code == "XF101" and refused.pointer == "/model_type" and context.root.table is not None:
        return  # a type of transformers that no family describes: nothing is wrong with the config
    if refused.code == "XF101" and context.root.table is None and isinstance(context.data.get("auto_map"), dict):
        return  # the model's own code reads the file; what it lacks by usual names may stand under others
    rules = index()
    errors = [f for f in found if f.severity == "error"]
    if any(f.code == refused.code or (refused.pointer and f.pointer == refused.pointer) for f in errors):
        return
    line, column = _position(context.document, refused.pointer)
    name = rules[refused.code].name if refused.code in rules else "file-problem"
    yield Finding(
        refused.code, name, "error", refused.message, _name(context.document), refused.pointer, line, column, refused.help, (), None
    )


def with_sample(report: Report, folder: ModelFolder, path: str, selection: Selection) -> Report:
    """The report with what rows of a data loader say. Raises Usage where they cannot be read."""
    from ..sample import sample
    from ._registry import find

    folder = as_recipe(folder)
    known = folder.config is not None and isinstance(folder.config.data, dict)
    judged = sample(path, Context(folder) if known else None)
    found = []
    for r in judged.remarks:
        severity, pointer = selection.severity(r.code, r.severity), f"/{r.key}" if r.key else ""
        found.append(Finding(r.code, find(r.code).name, severity, r.message, path, pointer, r.line, 1, r.help, (), None))
    shown = [f for f in found if _visible(selection, f.code, f.severity)]
    return report._replace(findings=report.findings + shown, hidden=report.hidden + len(found) - len(shown), sample=judged)
