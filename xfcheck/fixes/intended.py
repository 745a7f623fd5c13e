"""What a file's value should be after an edit: the measure that the edited text is held to."""

from __future__ import annotations

import copy
from math import isnan
from typing import TYPE_CHECKING, Any

from ..documents.document import resolve

if TYPE_CHECKING:
    from ..rules._finding import Edit


class NotApplicable(Exception):  # noqa: N818  it is no error of the program: the fix is left out
    """The edit does not fit this file: a key that is there already, a value that is not."""


def intended(data: Any, edit: Edit) -> Any:
    """A copy of the value with the edit made; keys keep their order. Raises NotApplicable."""
    data = copy.deepcopy(data)
    holder, key = _holder(data, edit.pointer)
    if isinstance(holder, list):
        if edit.action != "set" or not key.isdigit() or int(key) >= len(holder):
            raise NotApplicable("of a list only a value that is there is set")
        holder[int(key)] = edit.value
        return data
    if not isinstance(holder, dict) or (edit.action != "set" and key not in holder):
        raise NotApplicable("no such key")
    if edit.action == "set":
        holder[key] = edit.value
    elif edit.action == "delete":
        del holder[key]
    else:
        if not isinstance(edit.value, str) or edit.value in holder:
            raise NotApplicable("the new name is taken")
        items = [(edit.value if k == key else k, v) for k, v in holder.items()]
        holder.clear()
        holder.update(items)
    return data


def _holder(data: Any, pointer: str) -> tuple[Any, str]:
    parent, _, token = pointer.rpartition("/")
    if not pointer:
        raise NotApplicable("the whole file is never replaced")
    return resolve(data, parent, None), token.replace("~1", "/").replace("~0", "~")


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal with types and order of keys: 1 is not 1.0 and not true."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    both_nan = isinstance(one, float) and isnan(one) and isnan(other)
    return bool(one == other or both_nan)
