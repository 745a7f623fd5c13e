"""An architecture written out as a model description, the form that is read again without any family."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..accounting.parameters import parameters
from ..families import _native
from ..problems import Refused

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..model import Model


def described(a: Architecture) -> dict[str, Any]:
    """The description of an architecture: plain JSON values, without what stands at its default."""
    return {_native.MARK: 1, **plain(a)}


def says_all(model: Model) -> bool:
    """Whether a description says all of a model: read again it is the same architecture, and its ledger holds what the family's holds."""
    from pydantic import ValidationError

    try:
        read = json.loads(json.dumps(plain(model.architecture)))
        a = type(model.architecture).model_validate(read)
        return a == model.architecture and parameters(_native.ledger(a)) == parameters(model.rows)
    except (ValidationError, ValueError, Refused):
        return False


def plain(value: Any) -> Any:
    """A part as JSON values: its required fields, its kind, and what is not at its default."""
    fields = getattr(type(value), "model_fields", None)
    if fields is not None:
        return {name: plain(getattr(value, name)) for name, field in fields.items() if stated(value, name, field)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def stated(part: Any, name: str, field: Any) -> bool:
    """Whether a description says a field of a part."""
    return bool(field.is_required() or name == "kind" or getattr(part, name) != field.default)
