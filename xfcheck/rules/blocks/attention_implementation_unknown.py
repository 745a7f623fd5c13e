"""An attention implementation that transformers does not have.

## What it does
Reports an `attn_implementation` in the config, for the whole or a part, that is none of transformers' names, with the nearest. A
kernel of the hub (`owner/name`) and anything in a file that brings its own code is left alone.

## Why is this bad?
The key is read when the model is built, and an unknown name stops it there.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "attn_implementation": "flash_attention2"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "attn_implementation": "flash_attention_2"}
```

## Source
transformers 5.24.0, modeling_utils.py, `ALL_ATTENTION_FUNCTIONS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...documents.document import escape
from .._facts import nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


KEYS = ("attn_implementation", "_attn_implementation")
NAMES = ("eager", "sdpa", "flash_attention_2", "flash_attention_3", "flash_attention_4", "flex_attention")


@rule("XF417", "attention-implementation-unknown", "error", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """Each named implementation, one that is given for a part of the model included."""
    for scope in context.nested if "auto_map" not in context.data else ():
        for key in KEYS:
            given = scope.data.get(key)
            named = given.items() if isinstance(given, dict) else [("", given)]
            for part, name in named:
                if not isinstance(name, str) or "/" in name or name.removeprefix("paged|") in NAMES:
                    continue
                at, near = scope.at(key) + (f"/{escape(part)}" if part else ""), nearest(name, NAMES)
                fix = Fix(f"write {near}", (Edit("set", at, near),), safe=False) if near is not None else None
                yield Hit(
                    f'{key} "{name[:60]}" is none that transformers has',
                    at,
                    help=f'did you mean "{near}"?' if near is not None else ", ".join(NAMES),
                    fix=fix,
                )
