"""Any other key: one that the config holds or its class reads, else a field of the architecture's parts."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from ..problems import Usage
from .description import described, plain, stated
from .keys import scopes, spelt, takes
from .parts import STREAMS

if TYPE_CHECKING:
    from .draft import Draft


def value_of(text: str) -> Any:
    """A JSON value, or the text itself: `true`, `8`, `none` (null), `gelu`."""
    if text.lower() == "none":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def with_field(draft: Draft, key: str, text: str) -> Draft:
    """The draft with a config key, or a field of the architecture, set.

    A field is a plain name (`gated`), or one with the kind or the name of the part that has it (`mlp.gated`, `head.tied`,
    `norm.kind`); every part over
    tokens that has it gets the value. Raises Usage where neither has the key, Refused where no model is made of it.
    """
    value = value_of(text)
    for scope in scopes(draft):
        if takes(scope, key):
            return draft.with_keys(scope.pointer, {spelt(scope, key): value})
    part, _, field = key.rpartition(".")
    known: set[str] = set()
    a = draft.model.architecture
    data, count = _set(a, (), part, field, value, known)
    if not count:
        near = get_close_matches(key, known, 1) or get_close_matches(field, known, 1)
        raise Usage(
            f"--vary {key}: no key of this config and no field of its architecture" + (f"; did you mean {near[0]}?" if near else "")
        )
    unchanged = draft.with_architecture(a)
    return unchanged.with_description({**described(a), **data})


def _set(part: Any, names: tuple[str, ...], wanted: str, field: str, value: Any, known: set[str]) -> tuple[Any, int]:
    """A part as JSON values with the field set wherever a part that goes by the wanted name has it; in how many parts that was."""
    fields = getattr(type(part), "model_fields", None)
    if fields is None:
        if isinstance(part, list | tuple):
            pairs = [_set(item, names, wanted, field, value, known) for item in part]
            return [data for data, _ in pairs], sum(n for _, n in pairs)
        if isinstance(part, dict):
            held = {key: _set(item, (*names, key), wanted, field, value, known) for key, item in part.items()}
            return {key: data for key, (data, _) in held.items()}, sum(n for _, n in held.values())
        return plain(part), 0
    if getattr(part, "stream", None) is not None and "blocks" in fields and part.stream not in STREAMS:
        return plain(part), 0
    own = {*names, type(part).__name__.lower(), str(getattr(part, "kind", "")), str(getattr(part, "name", ""))}
    known.update(fields)
    known.update(f"{name}.{inner}" for name in own if name for inner in fields)
    hit = field in fields and (not wanted or wanted in own)
    out, count = {}, int(hit)
    for name, described_as in fields.items():
        if hit and name == field:
            out[name] = value
            continue
        data, n = _set(getattr(part, name), (name,), wanted, field, value, known)
        if n or stated(part, name, described_as):
            out[name], count = data, count + n
    return out, count
