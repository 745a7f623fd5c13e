"""A value of a type that the class refuses.

## What it does
Reports a string, a boolean, a float, a list or a null where the class declares another type, in every config object, with the types
it takes. Whole numbers for a float are reported only where the class refuses them: `rms_norm_eps: 1` is refused, `rope_theta:
10000` is taken.

## Why is this bad?
Strict config classes refuse the file at load; older readers take it and fail late, when a string is multiplied.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": "96", "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
huggingface/transformers#36534; transformers 5.24.0, the annotations of each `configuration_*.py`, checked by huggingface_hub's
strict dataclasses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...documents.document import escape
from .._facts import facts
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


NUMBER = ("int", "float")
UNDECLARED: dict[str, tuple[str, ...]] = {
    "rope_theta": (*NUMBER, "null"),
    "partial_rotary_factor": (*NUMBER, "null"),
    "rope_scaling": ("dict", "null"),
    "rope_parameters": ("dict", "null"),
    "torch_dtype": ("str", "null"),
    "eos_token_id": ("int", "list", "null"),
    "bos_token_id": ("int", "list", "null"),
    "pad_token_id": ("int", "list", "null"),
    "tie_word_embeddings": ("bool", "null"),
}
"""Types of keys that a class need not declare and every loader obeys."""
ROTARY = (
    "rope_theta", "partial_rotary_factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow",
    "low_freq_factor", "high_freq_factor", "mscale", "mscale_all_dim",
)  # fmt: skip
"""Numbers of a rotary block."""
WORDS = {
    "int": "a whole number",
    "float": "a number with a point",
    "str": "a string",
    "bool": "true or false",
    "list": "a list",
    "dict": "an object",
    "null": "null",
}


@rule("XF113", "field-type-wrong", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """The JSON type of each declared key of each config object."""
    for scope in context.nested:
        named = scope.data.get("model_type")
        if named is not None and not isinstance(named, str):
            yield Hit(f"model_type is {shown(named)}, a string is needed", scope.at("model_type"))
        if scope.table is None:
            continue
        for key, value in scope.data.items():
            types = scope.table.types(key) or (() if reads_itself(scope, key, value) else UNDECLARED.get(key, ()))
            if key in scope.table.sub_configs:
                types = ("dict", "null")
            kind = type_of(value)
            if not types or "any" in types or kind in types:
                continue
            if value is None and scope.data.get("use_mla") is False:
                continue  # DeepSeek-V2's own code without latent attention: its ranks are null
            at = f"{scope.pointer}/{escape(key)}"
            wanted = " or ".join(WORDS.get(t, t) for t in types)
            said = f"{key} is {shown(value)}, {scope.table.class_name} takes {wanted}"
            yield Hit(said, at, fix=converted(at, value, types))
        yield from rotary(scope)
        yield from null_head_dim(scope)
        yield from null_theta(scope)


def reads_itself(scope: Scope, key: str, value: Any) -> bool:
    """Whether the class takes a base a layer (Step-3.5), as it takes partial rotary factors."""
    kwargs = scope.table.kwargs if scope.table is not None else frozenset()
    return key == "rope_theta" and isinstance(value, list) and {key, "partial_rotary_factors"} <= kwargs


def rotary(scope: Scope) -> Iterator[Hit]:
    """Words or switches where a rotary block holds numbers, `factor` left to XF309."""
    for pointer, block in scope.rotary_blocks():
        for key in ROTARY:
            if key in block and type_of(block[key]) not in (*NUMBER, "null"):
                at = f"{pointer}/{key}"
                yield Hit(f"{key} is {shown(block[key])}, a number is needed", at, fix=converted(at, block[key], NUMBER))


def type_of(value: Any) -> str:
    """JSON type of a value, whole and other numbers apart."""
    if value is None:
        return "null"
    names = {bool: "bool", int: "int", float: "float", str: "str", list: "list", dict: "dict"}
    return names.get(type(value), "any")


def converted(at: str, value: Any, types: tuple[str, ...]) -> Fix | None:
    """The same value in the type wanted, where that is exact."""
    new: Any = None
    if ("int" in types and isinstance(value, float) and value.is_integer()) or (
        "int" in types and isinstance(value, str) and value.strip().isdecimal() and len(value) < 20
    ):
        new = int(value)
    elif ("float" in types and type(value) is int and abs(value) < 2**53) or (
        types == NUMBER and isinstance(value, str) and decimal(value)
    ):
        new = float(value)
    elif "bool" in types and isinstance(value, str) and value.lower() in ("true", "false"):
        new = value.lower() == "true"
    return None if new is None else Fix(f"write {str(new).lower() if isinstance(new, bool) else new}", (Edit("set", at, new),))


def decimal(text: str) -> bool:
    """Whether a string is a plain number: digits with at most one point."""
    return len(text) < 20 and text.strip().replace(".", "", 1).isdecimal()


def null_head_dim(scope: Scope) -> Iterator[Hit]:
    """A null head_dim in a class that does not declare it and takes any value that is there."""
    if "head_dim" in scope.data and scope.data["head_dim"] is None and scope.model_type in facts()["null_head_dim_refused"]:
        yield Hit(
            f"head_dim is null: {scope.model_type} takes it as it is, only an absent key means hidden_size / heads",
            scope.at("head_dim"),
            help="leave the key out",
            fix=Fix("take head_dim away", (Edit("delete", scope.at("head_dim")),)),
        )


def null_theta(scope: Scope) -> Iterator[Hit]:
    """A null rotary base in a class that has one: it is taken as it is, unless the rotary block holds another."""
    if "rope_theta" not in scope.data or scope.data["rope_theta"] is not None or scope.table is None or scope.table.default_theta is None:
        return
    blocks = [scope.data[key] for key in ("rope_parameters", "rope_scaling") if isinstance(scope.data.get(key), dict)]
    if not any("rope_theta" in block or any(isinstance(v, dict) for v in block.values()) for block in blocks):
        yield Hit(
            "rope_theta is null: only an absent key means the class's own base",
            scope.at("rope_theta"),
            help="leave the key out, or a number",
        )


def shown(value: Any) -> str:
    """A value in a message, cut where long."""
    text = (
        f'"{value}"'
        if isinstance(value, str)
        else "null"
        if value is None
        else str(value).lower()
        if isinstance(value, bool)
        else repr(value)
    )
    return text if len(text) <= 60 else text[:57] + "..."
