"""Laws of layer sets: they are sets, whatever the ranges they are kept in, and their text form reads back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xfcheck.architecture.layers import LIMIT, LayerSet

INDICES = st.sets(st.integers(0, 60), max_size=30)


@st.composite
def ranged(draw: st.DrawFn) -> LayerSet:
    """A layer set built in any of the ways there are."""
    start, step = draw(st.integers(0, 20)), draw(st.integers(1, 5))
    stop = start + draw(st.integers(0, 40))
    ways = {
        "of": LayerSet.of(draw(INDICES)),
        "first": LayerSet.first(draw(st.integers(0, 40))),
        "spaced": LayerSet.spaced(start, stop, step),
        "halves": LayerSet((range(start, stop), range(stop, stop + step))),
    }
    return ways[draw(st.sampled_from(sorted(ways)))]


@given(INDICES)
def test_holds_what_it_was_made_of(indices: set[int]) -> None:
    layers = LayerSet.of(indices)
    assert list(layers) == sorted(indices)
    assert len(layers) == len(indices)
    assert all((i in layers) == (i in indices) for i in range(-1, 62))


@given(ranged())
def test_text_reads_back(layers: LayerSet) -> None:
    if len(layers):
        assert LayerSet.parse(str(layers)) == layers
        assert list(LayerSet.parse(str(layers))) == sorted(layers)


@given(st.lists(ranged(), max_size=4))
def test_union_is_the_union(sets: list[LayerSet]) -> None:
    members = set().union(*map(set, sets))
    union = LayerSet.union(sets)
    assert set(union) == members
    assert len(union) == len(members)
    assert sorted(union) == sorted(set(union))


@given(ranged(), ranged())
def test_intersection_is_the_intersection(a: LayerSet, b: LayerSet) -> None:
    assert set(a.intersection(b)) == set(a) & set(b)


@given(ranged(), ranged())
def test_equal_where_the_members_are_equal(a: LayerSet, b: LayerSet) -> None:
    assert (a == b) == (set(a) == set(b))
    if a == b:
        assert hash(a) == hash(b)
        assert str(a) == str(b)


def test_equal_sets_in_other_ranges() -> None:
    """0-3 in one range, in two, and as the even and the odd ones."""
    forms = [LayerSet.first(4), LayerSet((range(2), range(2, 4))), LayerSet((range(0, 4, 2), range(1, 4, 2)))]
    assert all(form == forms[0] and hash(form) == hash(forms[0]) and str(form) == "0-3" for form in forms)


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "3-1", "0,0", "0-3,2", "1.5", f"{LIMIT}", "0-99999999999999999999"])
def test_no_layers(text: str) -> None:
    with pytest.raises(ValueError, match=r"layer|run"):
        LayerSet.parse(text)


@pytest.mark.parametrize(
    ("text", "members"), [("0", [0]), ("0-2", [0, 1, 2]), ("4,0-1", [0, 1, 4]), (" 1 , 3-4", [1, 3, 4]), ("0,1,2,3", [0, 1, 2, 3])]
)
def test_texts(text: str, members: list[int]) -> None:
    assert list(LayerSet.parse(text)) == members


def test_a_run_takes_no_room() -> None:
    """As many layers as are allowed, in the room of one range."""
    layers = LayerSet.first(LIMIT)
    assert len(layers.ranges) == 1
    assert len(layers) == LIMIT
    assert str(layers) == f"0-{LIMIT - 1}"
    assert len(LayerSet.union([LayerSet.spaced(0, LIMIT, 2), LayerSet.spaced(1, LIMIT, 2)]).ranges) == 1
