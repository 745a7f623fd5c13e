"""Pointers, positions and their fall-backs."""

from __future__ import annotations

import pytest

from xfcheck.documents.document import pointer_of, resolve
from xfcheck.documents.read import read_document

# the example of RFC 6901 section 5
RFC = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", RFC), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3), ("/g|h", 4),
        ("/i\\j", 5), ('/k"l', 6), ("/ ", 7), ("/m~0n", 8),
    ],
)  # fmt: skip
def test_resolve(pointer: str, value: object) -> None:
    assert resolve(RFC, pointer) == value


@pytest.mark.parametrize("pointer", ["/bar", "/foo/2", "/foo/00", "/foo/-", "/foo/-1", "/foo/x", "/foo/0/0", "/foo/" + "9" * 50, "/~2"])
def test_resolve_absent(pointer: str) -> None:
    with pytest.raises(KeyError):
        resolve(RFC, pointer)
    assert resolve(RFC, pointer, None) is None


def test_resolve_refuses_what_is_no_pointer() -> None:
    with pytest.raises(ValueError, match="begins with a slash"):
        resolve(RFC, "foo")


def test_pointer_of() -> None:
    assert pointer_of() == ""
    assert pointer_of("a/b", 0, "~", "") == "/a~1b/0/~0/"


def test_locate_value_key_and_nearest_parent() -> None:
    document = read_document("c.json", text='{\n  "a": {"b": 1},\n  "c": [5,\n 6]\n}')
    assert document.locate("") == (1, 1)
    assert document.locate("/a") == (2, 8)
    assert document.locate("/a", key=True) == (2, 3)
    assert document.locate("/a/b") == (2, 14)
    assert document.locate("/a/x/y") == (2, 8)
    assert document.locate("/a/x", key=True) == (2, 3)
    assert document.locate("/c/1") == (4, 2)
    assert document.locate("/nothing") == (1, 1)
    assert document.span("/nothing") is None
    assert document.span("/c/0", key=True) is None


def test_duplicate_keys_locate_the_last() -> None:
    document = read_document("c.json", text='{"a": {"b": 1, "c": 2},\n "a": {"b": 3}}')
    assert document.locate("/a/b") == (2, 13)
    assert document.locate("/a/c") == (2, 7)


def test_yaml_and_toml_positions() -> None:
    yaml = read_document("c.yaml", text="é: 😀\ntrain:\n  batch: 4  # four\n  mask: |\n    a\n\n  last: [1, 2]\n")
    assert yaml.locate("/train/batch") == (3, 10)
    assert yaml.locate("/train/batch", key=True) == (3, 3)
    assert yaml.span("/train/batch") == (21, 22)
    assert yaml.locate("/train/last/1") == (7, 13)
    mask = yaml.span("/train/mask")
    assert mask is not None
    assert yaml.text[slice(*mask)] == "|\n    a"
    toml = read_document("c.toml", text='x = 1\n[model.text]\nlayers = 2 # two\n"odd key" = "v"\n[[stage]]\nn = 1\n[[stage]]\nn = 2\n')
    assert toml.locate("/model/text/layers") == (3, 10)
    assert toml.locate("/model/text/layers", key=True) == (3, 1)
    span = toml.span("/model/text/layers")
    assert span is not None
    assert toml.text[slice(*span)] == "2"
    assert toml.locate("/model/text/odd key") == (4, 13)
    assert toml.locate("/stage/1/n") == (8, 5)


def test_a_byte_order_mark_is_no_column() -> None:
    document = read_document("c.json", text=b'\xef\xbb\xbf{"a": 1}')
    assert document.bom
    assert document.text == '{"a": 1}'
    assert document.locate("/a") == (1, 7)
