"""From a config and a variation to the model that is compared."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..accounting.budget import budget
from ..problems import Refused, Usage
from .dimensions import DIMENSIONS, SPELLINGS, lists
from .draft import Draft
from .fields import with_field
from .keys import fitting
from .validity import check

if TYPE_CHECKING:
    from .axes import Edit, Variation

OPTIONS = {
    "context": "context",
    "batch": "batch",
    "dtype": "dtype",
    "cache_dtype": "cache_dtype",
    "engine": "engine",
    "source_length": "source",
}
"""Keys that vary what the budget is asked for and leave the config as it is -> fields of its options."""


def varied(base: Draft, variation: Variation, known: set[tuple[str, str]], keep: str | None = None, multiple: int = 1) -> Draft:
    """The variant.

    `known` are the errors of the config as written; `keep` is `parameters` or `flops`: d_ff is solved for anew so that they stay
    those of `base`.

    Raises Refused with the rule that is broken where no valid architecture comes of it, Usage for a key or a value that means nothing.
    """
    draft = base
    order = list(DIMENSIONS)
    edits = [edit._replace(key=SPELLINGS.get(edit.key, edit.key)) for edit in variation.edits]
    for edit in sorted(edits, key=lambda e: order.index(e.key) if e.key in DIMENSIONS else len(order)):
        draft = _with(draft, edit)
    check(draft, known)
    if keep is not None:
        from .solve import kept

        draft = kept(draft, base, keep, multiple)
        check(draft, known)
    return draft


def _with(draft: Draft, edit: Edit) -> Draft:
    if edit.key in OPTIONS:
        return replace(draft, options=draft.options._replace(**{OPTIONS[edit.key]: _option(edit)}))
    if edit.key in DIMENSIONS:
        return with_dimension(draft, edit.key, DIMENSIONS[edit.key].read(edit.text))
    return with_field(draft, edit.key, edit.text)


def _option(edit: Edit) -> Any:
    if edit.key not in ("context", "batch", "source_length"):
        return edit.text
    from ..accounting.units import whole

    try:
        value = whole(edit.text)
    except ValueError as error:
        raise Usage(f"{edit}: {error}") from None
    if value < 1:
        raise Usage(f"{edit}: a whole number from 1 is needed")
    return value


def with_dimension(draft: Draft, name: str, value: Any) -> Draft:
    """The draft with a dimension of that value: by the config's own keys where they can say it, else as a description of the result."""
    dimension, before = DIMENSIONS[name], draft.model.architecture
    if dimension.reached(before, value):
        return draft
    beside = partial(lists, before=before.main.depth, depth=value) if name == "layers" else None
    refused: Refused | None = None
    for found in fitting(draft, dimension.candidates(before, value), beside):
        if isinstance(found, Refused):
            refused = refused or found
        elif isinstance(found, Draft) and dimension.reached(found.model.architecture, value):
            return found
    if refused is not None and not dimension.edited_if_refused:
        raise refused
    return draft.with_architecture(dimension.edited(before, value))


def cost(draft: Draft) -> dict[str, Any]:
    """The budget of a variant, as `budget` gives it for the config written out."""
    return budget(draft.model, draft.options)
