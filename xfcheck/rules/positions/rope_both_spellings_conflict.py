"""Two spellings of the rotary positions that disagree.

## What it does
Reports `rope_parameters` beside `rope_scaling`, `rope_theta` or another older key with different values, and one block whose `type`
and `rope_type` differ.

## Why is this bad?
In transformers 5 `rope_scaling` replaces the whole of `rope_parameters`, its base included, which falls to `rope_theta` or the
class default; version 4 never reads `rope_parameters`. Each reader runs another model.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0},
 "rope_scaling": {"rope_type": "linear", "factor": 2.0}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_parameters": {"rope_type": "linear", "factor": 2.0,
 "rope_theta": 500000.0}, "rope_scaling": {"rope_type": "linear", "factor": 2.0}, "rope_theta": 500000.0}
```

## Source
vllm-project/vllm#42624; transformers 5.24.0, modeling_rope_utils.py (`convert_rope_params_to_dict`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...readers.rope import rope5
from .._finding import Hit, Related
from .._registry import rule
from ._rope import blocks, custom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


OUTSIDE = {
    "rope_theta": "rope_theta",
    "rotary_emb_base": "rope_theta",
    "partial_rotary_factor": "partial_rotary_factor",
    "rotary_pct": "partial_rotary_factor",
}
"""Keys outside the block -> the same inside."""
KINDS = {"rope_local_base_freq": "sliding_attention", "local_rope_theta": "sliding_attention", "global_rope_theta": "full_attention"}
"""Bases of one kind of layer -> the kind."""
RENAMED = {"su": "longrope", "mrope": "default"}
"""Older types -> what they are called now."""


@rule("XF302", "rope-both-spellings-conflict", "error", needs=("rope_parameters", "type"))
def check(context: Context) -> Iterator[Hit]:
    """The block against everything that older readers take."""
    for scope in context.nested:
        block = scope.data.get("rope_parameters")
        if isinstance(block, dict) and block:
            for message, key in conflicts(scope, block):
                yield Hit(
                    message + effective(scope),
                    scope.at(key),
                    help="equal values in both, or one of them",
                    severity="warning" if custom(context, scope) else None,
                    related=(Related("rope_parameters", scope.at("rope_parameters")),),
                )
    for found in blocks(context):
        old, new = found.data.get("type"), found.data.get("rope_type")
        if isinstance(old, str) and isinstance(new, str) and RENAMED.get(old, old) != RENAMED.get(new, new):
            yield Hit(
                f"type is {shown(old)}, rope_type {shown(new)}: transformers takes rope_type, vLLM refuses the two",
                f"{found.at}/type",
                help="rope_type alone, with the type that is meant",
                related=(Related(f"rope_type {shown(new)}", f"{found.at}/rope_type"),),
            )


def conflicts(scope: Scope, block: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(what disagrees, the older key) of each."""
    inner = {kind: held for kind, held in block.items() if isinstance(held, dict)}
    whole = inner.get("full_attention", block)
    scaling = scope.data.get("rope_scaling")
    if isinstance(scaling, dict) and scaling:
        theirs, mine = plain(scaling), plain(whole)
        keys = [key for key in sorted({*theirs, *mine} - {"rope_theta", "partial_rotary_factor"}) if theirs.get(key) != mine.get(key)]
        if keys and not any(isinstance(v, dict) for v in scaling.values()):
            said = ", ".join(f"{key} {shown(mine.get(key))} and {shown(theirs.get(key))}" for key in keys[:4])
            yield f"rope_parameters and rope_scaling disagree: {said}", "rope_scaling"
        elif (
            "rope_theta" in whole
            and "rope_theta" not in scaling
            and scope.data.get("rope_theta") is None
            and whole["rope_theta"] != usual(scope)
        ):
            yield f"rope_scaling replaces rope_parameters and has no base, {shown(whole['rope_theta'])} is lost", "rope_scaling"
    for key, name in OUTSIDE.items():
        value = scope.data.get(key)
        if value is not None and name in whole and whole[name] != value:
            yield f"{key} is {shown(value)}, rope_parameters has {shown(whole[name])}", key
    for key, kind in KINDS.items():
        value, held = scope.data.get(key), inner.get(kind, {})
        if value is not None and "rope_theta" in held and held["rope_theta"] != value:
            yield f"{key} is {shown(value)}, rope_parameters.{kind} has {shown(held['rope_theta'])}", key


def plain(block: dict[str, Any]) -> dict[str, Any]:
    """A block with its type under one name and older names renewed."""
    out = {
        key: value for key, value in block.items() if key not in ("type", "rope_type") and not isinstance(value, dict) and value is not None
    }
    kind = block.get("rope_type", block.get("type", "default"))
    out["rope_type"] = RENAMED.get(kind, kind) if isinstance(kind, str) else kind
    return out


def usual(scope: Scope) -> Any:
    """The class's own base."""
    return None if scope.table is None else scope.table.default_theta


def effective(scope: Scope) -> str:
    """What transformers 5 makes of it."""
    found = [rope.plain("theta", "type") for rope in rope5(scope)]
    return f" (transformers 5: base {shown(found[0][0])}, {found[0][1]})" if found else ""


def shown(value: Any) -> str:
    """A value in a message."""
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)[:40]
