"""transformers 4: `rope_theta` and `rope_scaling` alone, the class defaults of its own classes.

Source: transformers 4.57.3, the initialisers of its config classes (`_transformers4.json`), configuration_utils.py, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .rope import rope4, version4
from .transformers5 import derived, fields, left, prefix, ropes
from .value import Value, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..rules._context import Context, Scope

BASE: dict[str, Any] = {
    "tie_word_embeddings": True, "is_decoder": False, "add_cross_attention": False, "tie_encoder_decoder": False, "bos_token_id": None,
    "eos_token_id": None, "pad_token_id": None, "sep_token_id": None, "decoder_start_token_id": None, "chunk_size_feed_forward": 0,
}  # fmt: skip
"""Defaults of PretrainedConfig for keys that an initialiser does not take by name."""


def view(context: Context) -> View:
    """The config as the last release of version 4 makes it up."""
    facts = version4()
    values: dict[str, Value] = {}
    unread: dict[str, str] = {}
    for scope in context.nested:
        start = prefix(scope)
        values.update({start + name: value for name, value in fields(scope, defaults(scope))})
        values.update({start + name: value for name, value in ropes(rope4(scope))})
        if context.of_model(scope):
            values.update({start + name: value for name, value in derived(context, scope, values, start)})
        unread.update({at: why for at, why in left(scope) if not at.endswith(("/rope_parameters", "/rope_scaling"))})
        if scope.data.get("rope_parameters"):
            unread[f"{scope.pointer}/rope_parameters"] = "transformers 4 reads rope_theta and rope_scaling"
    return View("transformers@4", facts["transformers"], values, unread, refusal(context))


def refusal(context: Context) -> str | None:
    """Why version 4 does not load the file by itself."""
    facts = version4()
    kind = context.data.get("model_type") if context.root.table is None else context.root.table.model_type
    if isinstance(kind, str) and kind in facts["types"]:
        return None
    own = "; the model brings code of its own, which is not executed" if "auto_map" in context.data else ""
    return f"transformers {facts['transformers']} has no model_type {kind!r}{own}"


def defaults(scope: Scope) -> Callable[[str], Value | None]:
    """What the class of version 4 fills in for a key, null where it does not know the key."""
    facts = version4()
    own = facts["types"].get("" if scope.table is None else scope.table.model_type)

    def default(key: str) -> Value | None:
        if own is None or scope.table is None:
            return None
        said = f"{scope.table.class_name}, transformers {facts['transformers']}"
        if key in own["defaults"]:
            return Value(own["defaults"][key], "class default", said)
        if key not in own["absent"]:
            return Value(scope.table.default(key), "class default", said)
        return Value(BASE[key], "class default", f"PretrainedConfig, transformers {facts['transformers']}") if key in BASE else None

    return default
