"""Reads `xfcheck.yaml`: what a config.json cannot say, the training and the deployment a model is meant for, and one attention call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from xfcheck.documents import limits
from xfcheck.documents.core_schema import plain_scalar
from xfcheck.documents.document import Document, Problem, pointer_of
from xfcheck.documents.xfcheck_sections import (
    ATTENTIONS,
    ENGINES,
    FRAMEWORKS,
    OPEN_NAMES,
    SECTIONS,
    AuxLoss,
    Deploy,
    Kernel,
    LossMask,
    Settings,
    Train,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ATTENTIONS", "ENGINES", "FRAMEWORKS", "AuxLoss", "Deploy", "Kernel", "LossMask", "Settings", "Train", "load", "override",
]  # fmt: skip


def load(document: Document) -> tuple[Settings, list[Problem]]:
    """The settings of an `xfcheck.yaml` and the problems of its keys (code XF905), with their places.

    A key that is unknown or has a wrong value is left out, the rest counts. Problems of the file itself stay in `document.problems`.
    """
    if document.data is None:
        return Settings(), []
    if not isinstance(document.data, dict):
        line, column = document.locate("") or (None, None)
        text = "xfcheck.yaml holds sections (train, deploy, kernel), not a list or a value"
        return Settings(), [Problem(text, "", line, column, code="XF905")]
    settings, faults = _validate(document.data)
    problems = [_place(document, path, message, advice, key=key) for path, message, advice, key in faults]
    for path, message in _unknown_names(settings):
        problems.append(_place(document, path, message, None, key=False, severity="warning"))
    return settings, sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))


def override(settings: Settings, assignment: str) -> Settings:
    """Settings with one key changed, as `--set deploy.tensor_parallel=8` asks; a list is written as JSON, `null` takes a key away.

    Raises ValueError with a text for the user where the key is unknown or the value wrong.
    """
    dotted, equals, text = assignment.partition("=")
    path = tuple(dotted.strip().split("."))
    if not equals or len(path) < 2:
        raise ValueError(f"{assignment!r} is not of the form section.key=value")
    text = text.strip()
    first: list[_Fault] = []
    for value in _readings(text):
        data = settings.model_dump(exclude_unset=True)
        inner = data
        for step in path[:-1]:
            inner = inner.setdefault(step, {}) if isinstance(inner.get(step, {}), dict) else {}
        inner[path[-1]] = value
        changed, faults = _validate(data)
        if not faults:
            return changed
        first = first or faults
    _, message, advice, _ = first[0]
    raise ValueError(f"{message}: {advice}" if advice else message)


_Fault = tuple[tuple[str | int, ...], str, str | None, bool]
"""Path, message, help, and whether the key (not its value) is at fault."""


def _readings(text: str) -> Iterable[Any]:
    """What the text of an assignment can mean, most likely first."""
    if text[:1] in ("[", "{"):
        try:
            yield json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{text[:60]!r} is no JSON: {error}") from error
        return
    yield plain_scalar(text)
    # `transformers=5.24` is a version, not a number
    yield text


def _validate(given: dict[str, Any]) -> tuple[Settings, list[_Fault]]:
    """Settings of what is valid in `given`, and the faults of the rest."""
    data = _copy_sections(given)
    faults: list[_Fault] = []
    while True:
        try:
            return Settings.model_validate(data), faults
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=True)
        removed = [each for each in found if _remove(data, _declared(each["loc"]))]
        faults += [_fault(each) for each in removed[: limits.PROBLEMS - len(faults)]]
        if not removed:
            return Settings(), faults


def _copy_sections(given: dict[str, Any], path: tuple[str, ...] = ()) -> dict[str, Any]:
    """The objects of the sections, copied; a section with nothing in it, which is null in YAML, is left out."""
    copy = dict(given)
    for name in (section[-1] for section in SECTIONS if section and section[:-1] == path):
        if isinstance(copy.get(name), dict):
            copy[name] = _copy_sections(copy[name], (*path, name))
        elif name in copy and copy[name] is None:
            del copy[name]
    return copy


def _remove(data: dict[str, Any], path: tuple[str | int, ...]) -> bool:
    """Take the member at `path`, or the list that holds it, out of `data`; False if it is gone already."""
    for step in path[:-1]:
        following = data.get(str(step))
        if not isinstance(following, dict):
            return data.pop(str(step), _GONE) is not _GONE
        data = following
    return data.pop(str(path[-1]), _GONE) is not _GONE


_GONE = object()


def _fault(error: Any) -> _Fault:
    path = _declared(error["loc"])
    name = ".".join(str(step)[:60] for step in path)
    if error["type"] == "extra_forbidden":
        return path, f"unknown key {name}", _nearest(path), True
    if error["type"] == "model_type":
        return path, f"{name} is a section, not a value", None, False
    message = str(error["msg"])
    given = json.dumps(error["input"], default=str)[:60]
    if error["type"] == "literal_error":
        return path, f"{name}: {given} is none of its values", f"one of {error['ctx']['expected']}", False
    quoted = "a version is a text: put it in quotes" if error["type"] == "string_type" and isinstance(error["input"], float) else None
    return path, f"{name}: {message[:1].lower()}{message[1:]}, not {given}", quoted, False


def _declared(loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The path of keys and indexes in a pydantic location, without the names of union members that pydantic adds."""
    keep: list[str | int] = []
    for step in loc:
        section = SECTIONS.get(tuple(str(each) for each in keep))
        if section is None and isinstance(step, str) and keep:
            break
        keep.append(step)
    return tuple(keep)


def _nearest(path: tuple[str | int, ...]) -> str | None:
    import difflib

    parent = tuple(str(step) for step in path[:-1])
    section = SECTIONS.get(parent)
    key = str(path[-1])
    if section is None:
        return None
    close = difflib.get_close_matches(key, section.model_fields, n=1, cutoff=0.6)
    if close:
        return f"did you mean {'.'.join((*parent, close[0]))}?"
    for other, model in SECTIONS.items():
        if key in model.model_fields:
            return f"it belongs to {'.'.join(other) or 'the top level'}"
    return f"known here: {', '.join(section.model_fields)}"


def _unknown_names(settings: Settings) -> list[tuple[tuple[str, str], str]]:
    import difflib

    found = []
    for (section, key), names in OPEN_NAMES.items():
        value = getattr(getattr(settings, section), key)
        if value is not None and value.lower() not in names:
            close = difflib.get_close_matches(value.lower(), names, n=1, cutoff=0.6)
            hint = f"; the nearest known one is {close[0]}" if close else ""
            found.append(((section, key), f"{section}.{key}: {value[:60]!r} is no name known here{hint}"))
    return found


def _place(
    document: Document, path: tuple[str | int, ...], message: str, advice: str | None, *, key: bool, severity: str = "error"
) -> Problem:
    pointer = pointer_of(*path)
    line, column = document.locate(pointer, key=key) or (None, None)
    return Problem(message, pointer, line, column, advice, severity, "XF905")
