"""Properties of JSON reading: equal to the standard library on what is right, bounded and silent on what is not."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xfcheck.documents import limits
from xfcheck.documents.document import Document, pointer_of, resolve
from xfcheck.documents.json_reader import read_json
from xfcheck.documents.json_search import Search
from xfcheck.documents.json_tolerant import Tolerant
from xfcheck.documents.read import read_document

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=20)
SPACES = st.text(" \t\n\r", max_size=3)


@st.composite
def spaced(draw: st.DrawFn) -> tuple[Any, str]:
    """A value and its JSON text with whitespace of any kind between tokens, escapes in either style."""
    value = draw(VALUES)
    ascii_only = draw(st.booleans())

    def write(part: Any) -> str:
        if isinstance(part, dict):
            body = ",".join(f"{draw(SPACES)}{write(key)}{draw(SPACES)}:{write(inner)}" for key, inner in part.items())
            text = "{" + body + draw(SPACES) + "}"
        elif isinstance(part, list):
            text = "[" + ",".join(write(inner) for inner in part) + draw(SPACES) + "]"
        else:
            text = json.dumps(part, ensure_ascii=ascii_only)
        return draw(SPACES) + text + draw(SPACES)

    return value, write(value)


def pointers(value: Any, *path: str | int) -> list[tuple[str, Any]]:
    found = [(pointer_of(*path), value)]
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        found += pointers(inner, *path, step)
    return found


@given(spaced())
def test_tolerant_reader_equals_the_standard_library(case: tuple[Any, str]) -> None:
    value, text = case
    read = Tolerant(text)
    assert not read.problems
    assert repr(read.value) == repr(json.loads(text)) == repr(value)


@given(spaced())
def test_fast_reader_equals_the_standard_library(case: tuple[Any, str]) -> None:
    value, text = case
    data, problems, strict = read_json(text)
    assert strict
    assert not problems
    assert repr(data) == repr(value)


@given(spaced())
def test_span_is_the_text_of_the_value(case: tuple[Any, str]) -> None:
    value, text = case
    document = read_document("x.json", text=text)
    search = Document("x.json", "json", text, value, spans=lambda: Search(text))
    for pointer, inner in pointers(value):
        assert repr(resolve(document.data, pointer)) == repr(inner)
        span = document.span(pointer)
        assert span is not None
        assert span == search.span(pointer)
        assert repr(json.loads(text[slice(*span)])) == repr(inner)
        before = text[: span[0]]
        assert document.locate(pointer) == (before.count("\n") + 1, len(before) - before.rfind("\n"))
        key = document.span(pointer, key=True)
        assert key == search.span(pointer, key=True)
        if key is not None:
            assert pointer_of(json.loads(text[slice(*key)])) == "/" + pointer.rpartition("/")[2]


@given(st.binary(max_size=200), st.sampled_from(["x.json", "x.yaml", "x.toml", "x", "chat_template.jinja"]))
def test_bytes_never_raise(raw: bytes, name: str) -> None:
    document = read_document(name, text=raw)
    document.locate("/a/0")


@settings(max_examples=300)
@given(st.text("{}[]\",:'\\\n\t 01.-+eE/*#ntfNIalsued&!|>-?%@`<=", max_size=40), st.sampled_from(["x.json", "x.yaml", "x.toml"]))
def test_punctuation_never_raises(text: str, name: str) -> None:
    document = read_document(name, text=text)
    assert document.data is not None or document.problems or name != "x.json" or text.strip() == "null" or "None" in text
    for problem in document.problems:
        assert (problem.line is None) == (problem.column is None)
        if problem.line is not None and problem.column is not None:
            lines = text.split("\n")
            assert 1 <= problem.line <= len(lines)
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1


@settings(max_examples=300)
@given(st.text('{}[]",:\\\n\t 01.-+eEnultrufas', max_size=30))
def test_what_the_standard_library_reads_is_read_alike(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        assert any(problem.severity == "error" for problem in read_document("x.json", text=text).problems)
        return
    assert repr(read_document("x.json", text=text).data) == repr(value) == repr(Tolerant(text).value)


@given(spaced(), st.data())
def test_a_problem_is_found_wherever_the_text_is_cut(case: tuple[Any, str], data: st.DataObject) -> None:
    value, text = case
    if not isinstance(value, dict):
        return
    cut = data.draw(st.integers(0, len(text.rstrip()) - 1))
    document = read_document("x.json", text=text[:cut])
    assert document.data is None
    assert any(problem.severity == "error" for problem in document.problems)


@given(st.text('\\ud8Dc0fF"', max_size=30))
def test_no_surrogate_comes_out(inner: str) -> None:
    data = read_document("x.json", text=f'["{inner}"]').data
    json.dumps(data, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(("written", "value"), [("Infinity", math.inf), ("-Infinity", -math.inf)])
def test_special_float_objects(written: str, value: float) -> None:
    document = read_document("config.json", text=f'{{"time_step_limit": [0.0, {{"__float__": "{written}"}}]}}')
    assert document.data == {"time_step_limit": [0.0, value]}
    assert not document.problems
    assert document.locate("/time_step_limit/1") == (1, 27)


def test_special_float_nan_and_look_alikes() -> None:
    text = '[{"__float__": "NaN"}, {"__float__": "one"}, {"__float__": "NaN", "x": 1}, {"__float__": 1}]'
    first, *rest = read_document("x.json", text=text).data
    assert math.isnan(first)
    assert rest == [{"__float__": "one"}, {"__float__": "NaN", "x": 1}, {"__float__": 1}]


def test_problems_are_cut_at_the_limit() -> None:
    document = read_document("x.json", text="[" + "NaN," * 1000 + "0]")
    assert len(document.problems) == limits.PROBLEMS + 1
    assert len(document.data) == 1001
