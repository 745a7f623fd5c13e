"""An activation that no reader knows.

## What it does
Reports the name of an activation that is not in transformers' table, with the nearest name, after the class's own reading of it
(T5's `gated-` prefix, DBRX's `ffn_act_fn.name`).

## Why is this bad?
The config loads; the build fails, or a reader falls back to another activation and the output is noise.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "hidden_act": "sillu"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "hidden_act": "silu"}
```

## Source
transformers 5.24.0, activations.py, `ACT2FN`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ...documents.document import escape
from .._facts import facts, nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


KEYS = ("hidden_act", "activation_function", "hidden_activation", "feed_forward_proj", "dense_act_fn", "ffn_act_fn", "activation")


@rule("XF403", "hidden-act-unknown", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Every key of every config object whose class default is an activation."""
    if context.root.table is None:
        return  # code of its own may have activations of its own
    for scope in context.nested:
        for key, value in scope.data.items():
            if names_activation(scope, key):
                at, inside = f"{scope.pointer}/{escape(key)}", key == "ffn_act_fn" and isinstance(value, dict)
                yield from judged(scope, key, f"{at}/name" if inside else at, value.get("name") if inside else value)


@functools.cache
def named() -> frozenset[str]:
    """Every key under which some class takes an activation."""
    return frozenset((*KEYS, *facts()["activation_keys"]))


def names_activation(scope: Scope, key: str) -> bool:
    """Whether the class takes an activation under this key."""
    if key not in named() or scope.table is None or not scope.table.accepts(key):
        return False
    default = scope.table.default(key)
    return key in KEYS or default is None or default in facts()["activations"]


def judged(scope: Scope, key: str, at: str, value: Any) -> Iterator[Hit]:
    """The finding about one name. A name that the class itself has as its default is its own business."""
    if not isinstance(value, str) or (scope.table is not None and scope.table.default(key) == value):
        return
    name = value.removeprefix("gated-") if key == "feed_forward_proj" else value
    known = facts()["activations"]
    if name not in known:
        near = nearest(name.lower(), known)
        fix = Fix(f"write {near}", (Edit("set", at, near),), safe=False) if near is not None else None
        yield Hit(
            f'{key} "{value}" is no activation', at, help=f'did you mean "{near}"?' if near else f"one of {', '.join(known)}", fix=fix
        )
