"""Laws of the ledger: merging, expanding and fusing lose and invent nothing."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xfcheck.architecture.layers import LayerSet
from xfcheck.ledger import COMPONENTS, Row, expand, merge, modules, role, total

MATRIX = role("mlp", "up", multiplies=True)


@st.composite
def ledgers(draw: st.DrawFn) -> list[Row]:
    """Rows of some layers, some with experts, some twice with other layers."""
    rows = []
    for index in range(draw(st.integers(1, 4))):
        shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
        experts = draw(st.none() | st.integers(1, 4))
        name = f"layers.{{layer}}.part{index}" + (".{expert}" if experts else "") + ".weight"
        owned = sorted(draw(st.sets(st.integers(0, 12), min_size=1, max_size=8)))
        cut = draw(st.integers(0, len(owned)))
        halves = [members for members in (owned[:cut], owned[cut:]) if members]
        rows += [Row(name, shape, MATRIX, layers=LayerSet.of(members), experts=experts) for members in halves]
    return rows


@given(ledgers())
def test_merge_changes_no_tensor(rows: list[Row]) -> None:
    before = sorted((name, row.shape) for name, row in expand(rows))
    after = sorted((name, row.shape) for name, row in expand(merge(rows)))
    assert before == after
    assert total(merge(rows)) == total(rows) == sum(prod(shape) for _, shape in before)


@given(ledgers())
def test_merge_joins_all_that_is_alike(rows: list[Row]) -> None:
    merged = merge(rows)
    assert merge(merged) == merged
    assert len({row.name for row in merged}) == len(merged) == len({row.name for row in rows})


@given(ledgers())
def test_as_many_tensors_as_are_counted(rows: list[Row]) -> None:
    for row in rows:
        assert row.tensors == len(list(expand([row])))
        assert row.elements == row.tensors * prod(row.shape)


@given(ledgers())
def test_fusing_keeps_the_elements(rows: list[Row]) -> None:
    fused = modules(row._replace(module=row.name.replace(".{expert}", "")) if row.experts else row for row in merge(rows))
    assert sum(row.elements for row in fused) == total(rows)
    assert not any("{expert}" in row.name for row in fused)


def test_gate_and_up_become_one_stack() -> None:
    """[I, d] twice, E experts -> [E, 2 I, d]: what transformers 5 holds in memory of a Mixtral layer."""
    gate, up = (
        Row(
            f"layers.{{layer}}.experts.{{expert}}.{n}.weight", (7, 5), MATRIX, LayerSet.first(3), 4, module="layers.{layer}.experts.gate_up"
        )
        for n in ("w1", "w3")
    )
    (fused,) = modules([gate, up])
    assert (fused.name, fused.shape, fused.experts, fused.tensors) == ("layers.{layer}.experts.gate_up", (4, 14, 5), None, 3)
    assert fused.elements == gate.elements + up.elements == 2 * 3 * 4 * 35


def test_fusing_along_the_other_axis() -> None:
    a, b = (Row(f"{n}.weight", (7, 5), MATRIX, module="both.weight", module_axis=1) for n in "ab")
    assert [row.shape for row in modules([a, b])] == [(7, 10)]


@pytest.mark.parametrize(
    ("change", "counted"),
    [({}, 6), ({"kind": "buffer"}, 0), ({"kind": "not_loaded"}, 0), ({"kind": "unsaved"}, 6), ({"tied_to": "other.weight"}, 0)],
)
def test_what_is_a_parameter(change: dict[str, str], counted: int) -> None:
    assert total([Row("a.weight", (2, 3), MATRIX)._replace(**change)]) == counted  # type: ignore[arg-type]


def test_rows_that_differ_stay_apart() -> None:
    first = Row("layers.{layer}.w", (2, 3), MATRIX, LayerSet.of([0]))
    others = [
        first._replace(layers=LayerSet.of([1]), shape=(3, 2)),
        first._replace(layers=LayerSet.of([1]), stream="encoder"),
        first._replace(layers=LayerSet.of([1]), uses=2),
        first._replace(layers=LayerSet.of([1]), active=(1, 2)),
        first._replace(layers=LayerSet.of([1]), role=role("mlp", "up")),
        first._replace(layers=LayerSet.of([1]), dtype="float32"),
        first._replace(layers=LayerSet.of([1]), every=True),
        first._replace(layers=LayerSet.of([1]), module="elsewhere"),
    ]
    assert [len(merge([first, other])) for other in others] == [2] * len(others)
    assert len(merge([first, first._replace(layers=LayerSet.of([1]))])) == 1


def test_roles_have_a_bucket() -> None:
    assert str(role("attention", "query", multiplies=True)) == "attention.query"
    assert role("attention", "query") is role("attention", "query")
    with pytest.raises(ValueError, match=", ".join(COMPONENTS[:3])):
        role("attn", "query")


def test_padding_is_stored_and_no_parameter() -> None:
    row = Row("head.weight", (5, 4), role("head", "head", multiplies=True), padding=3)
    assert (row.elements, row.stored_shape, row.stored_elements, total([row])) == (20, (8, 4), 32, 20)
    assert [(r.name, r.shape, r.stored_shape) for r in modules([row])] == [("head.weight", (5, 4), (5, 4))]


def test_modules_that_number_layers_otherwise() -> None:
    row = Row("queries.{layer}", (4,), MATRIX, layers=LayerSet.of([0, 1, 4]), module="layers.{layer}.query", module_shift=1)
    assert [name for name, _ in expand(modules([row]))] == ["layers.1.query", "layers.2.query", "layers.5.query"]


def test_a_module_that_sees_joined_tensors_in_another_shape() -> None:
    rows = [Row(name, (6, 4), MATRIX, module="query", module_view=(3, 4, 4)) for name in ("queries", "key_queries")]
    assert [(r.name, r.shape) for r in modules(rows)] == [("query", (3, 4, 4))]
    assert total(rows) == 48
