"""A dtype that torch does not have.

## What it does
Reports a `dtype` or `torch_dtype` that is no name of a torch dtype, in every config object, with the name meant.

## Why is this bad?
transformers looks the string up in torch as it stands: "bf16", "torch.bfloat16" and "float17" are an AttributeError at load.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bf16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
transformers 5.24.0, configuration_utils.py; torch 2.13, the dtypes of the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._facts import nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


NAMES = (
    "float32",
    "float16",
    "bfloat16",
    "float64",
    "float",
    "half",
    "double",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn_x2",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
)
MEANT = {
    "bf16": "bfloat16",
    "fp16": "float16",
    "f16": "float16",
    "fp32": "float32",
    "f32": "float32",
    "fp64": "float64",
    "float_16": "float16",
    "bfloat": "bfloat16",
    "bf_16": "bfloat16",
    "fp8": "float8_e4m3fn",
    "float8": "float8_e4m3fn",
    "fp8_e4m3": "float8_e4m3fn",
    "fp8_e5m2": "float8_e5m2",
}


@rule("XF406", "dtype-string-invalid", "error", needs=("dtype", "torch_dtype"))
def check(context: Context) -> Iterator[Hit]:
    """Both spellings of each config object."""
    for scope in context.nested:
        for key in ("dtype", "torch_dtype"):
            value = scope.data.get(key)
            if not isinstance(value, str) or value in NAMES:
                continue
            plain = value.strip().lower().removeprefix("torch.")
            exact = plain if plain in NAMES else MEANT.get(plain)
            meant = exact or nearest(plain, NAMES)
            fix = Fix(f"write {meant}", (Edit("set", scope.at(key), meant),), safe=exact is not None) if meant is not None else None
            yield Hit(
                f'{key} "{value}" is no dtype of torch',
                scope.at(key),
                help=f'did you mean "{meant}"?' if meant else "float32, float16 or bfloat16",
                fix=fix,
            )
