"""vLLM: the config object of transformers 5 with older rotary names renewed, and a maximum length of its own.

Source: vLLM 0.24, vllm/transformers_utils/config.py (`patch_rope_parameters`), vllm/transformers_utils/model_arch_config_convertor.py and
vllm/config/model.py (derived length: the smallest of several keys; the factor of linear, dynamic and yarn scaling; yarn from the original
length; Gemma 3 unscaled; longrope served at its original length by default).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import transformers5
from .rope import rope5
from .transformers5 import prefix, ropes
from .value import Value, View, given

if TYPE_CHECKING:
    from ..rules._context import Context, Scope
    from .rope import Rope

VERSION = "0.24"
LENGTHS = (
    "max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length", "max_target_positions",
    "max_sequence_length", "max_seq_length", "seq_len",
)  # fmt: skip
RENEWED = {"su": "longrope", "mrope": "default"}
UNSCALED = ("su", "longrope", "llama3")
FALLBACK = 2048
PLACEHOLDER = 10**9


def view(context: Context) -> View:
    """The config as the engine serves it."""
    base = transformers5.view(context)
    values = dict(base.values)
    for scope in context.nested:
        found = [renewed(rope) for rope in rope5(scope)]
        values.update({prefix(scope) + name: value for name, value in ropes(found)})
    for scope in context.scopes[:1]:
        values["max_model_len"] = length(context, scope)
        dtype = values.get(prefix(scope) + "dtype") or values.get("dtype")
        if dtype is None or dtype.value in ("float32", "float16", "bfloat16"):
            wide = dtype is None or dtype.value == "float32"
            said = "dtype: 32-bit weights are served in 16 bits" if wide else "dtype"
            values["served_dtype"] = Value(
                "bfloat16" if wide or dtype is None else dtype.value, "derived", said, None if dtype is None else dtype.pointer
            )
    return View("vllm", VERSION, values, base.unread, base.refused)


def renewed(rope: Rope) -> Rope:
    """A block with the present name of its type."""
    kind = rope.values["type"]
    if not isinstance(kind.value, str) or kind.value not in RENEWED:
        return rope
    return rope._replace(values={**rope.values, "type": Value(RENEWED[kind.value], "derived", f"{kind.value} in the file", kind.pointer)})


def length(context: Context, scope: Scope) -> Value:
    """The longest sequence that is served without being asked for more."""
    found = [(value, key) for key in LENGTHS if (value := scope.whole(key)) is not None]
    tokens, key = min(found, default=(FALLBACK, None))
    held = None if key is None else given(scope, key)
    how, pointer = [key or "reader default"], None if held is None else held.pointer
    tokenizer: Any = context.side("tokenizer_config.json")
    limit = tokenizer.get("model_max_length") if isinstance(tokenizer, dict) else None
    if isinstance(limit, int | float) and not isinstance(limit, bool) and 0 < limit < min(tokens, PLACEHOLDER):
        tokens, how, pointer = int(limit), ["model_max_length of tokenizer_config.json"], None
    factor: float = 1
    for rope in rope5(scope) if "gemma3" not in scope.model_type else []:
        kind, stretch, original = rope.plain("type", "factor", "original_max_position_embeddings")
        if kind in UNSCALED or not isinstance(stretch, int | float) or isinstance(stretch, bool):
            continue
        factor = stretch
        if kind == "yarn" and isinstance(original, int):
            tokens, how = original, ["original_max_position_embeddings"]
        how.append("factor")
    return Value(
        int(tokens * factor) if factor < 10**6 else None, "derived" if key else "reader default", " * ".join(dict.fromkeys(how)), pointer
    )
