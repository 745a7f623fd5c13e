"""A quantisation that no reader knows.

## What it does
Reports a `quant_method` that neither transformers nor a serving engine has, with the nearest name, a block that names none though
it is not MLX's, and settings that the method refuses: bits, groups, an AWQ layout, the scheme of activations or the blocks of fp8,
the types of bitsandbytes, a strategy of compressed-tensors that does not go with its group size.

## Why is this bad?
The method decides which tensors a checkpoint holds and how they are unpacked. With an unknown one the loader refuses the model, or
takes it for unquantised.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "gptqq", "bits": 4, "group_size": 64}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 64}}
```

## Source
transformers 5.24.0, utils/quantization_config.py, `QuantizationMethod` and the checks of each class; the quantisation names of vLLM
and SGLang.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...documents.document import escape
from .._facts import facts, nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


ENGINES = (
    "modelopt",
    "modelopt_fp4",
    "modelopt_mxfp8",
    "modelopt_mixed",
    "gptq_marlin",
    "awq_marlin",
    "gptq_marlin_24",
    "marlin",
    "gptq_bitblas",
    "bitblas",
    "deepspeedfp",
    "experts_int8",
    "tpu_int8",
    "ptpc_fp8",
    "rtn",
    "inc",
    "auto_gptq",
    "auto_awq",
    "petit_nvfp4",
    "moe_wna16",
    "w8a8_int8",
    "w8a8_fp8",
    "w4afp8",
    "qoq",
    "exl2",
    "exl3",
    "ipex",
    "intel/auto-round",
    "neuron_quant",
    "smooth_quant",
    "compressed_tensors",
    "mlx",
    "squeezellm",
    "fp_quant",
    "gpt_oss_mxfp4",
    "quip",
    "hybrid",
    "ct",
    "nvfp4",
    "ascend",
    "ascend_quant",
    "olive",
    "onnx",
    "torchao",
    "unsloth",
)
"""Methods that serving engines and exporters have beside those of transformers."""
BITS = {
    "gptq": (2, 3, 4, 8),
    "awq": (4, 8),
    "auto-round": (2, 3, 4, 5, 6, 7, 8),
    "vptq": None,
    "spqr": (3,),
    "higgs": (2, 3, 4),
    "metal": (2, 4, 8),
}
WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "awq": {"version": ("gemm", "gemv", "gemv_fast", "llm-awq", "exllama", "marlin", "ipex")},
    "fp8": {"activation_scheme": ("dynamic", "static")},
}
"""Method -> setting -> the words it takes; of `version` those of older releases of AutoAWQ too."""
COMPUTE = ("float16", "bfloat16", "float32", "float64", "half", "float", "double")
MLX = frozenset(["bits", "group_size", "mode"])
"""What an MLX block holds beside objects and switches of single layers."""


@rule("XF416", "quant-method-unknown", "error", needs=("quantization_config",))
def check(context: Context) -> Iterator[Hit]:
    """The quantisation block of the root and of each nested config."""
    for scope in context.nested:
        block = scope.data.get("quantization_config")
        if isinstance(block, dict):
            at = f"{scope.pointer}/quantization_config"
            if block.get("quant_method") is None and "quantization" not in scope.data and not understood(block):
                yield Hit(
                    "quantization_config has no quant_method: transformers and vLLM refuse it", at, help='"quant_method": "gptq", ...'
                )
            yield from judged(block, at)


def understood(block: dict[str, Any]) -> bool:
    """Whether readers know a block without a method: bitsandbytes' switches, ModelOpt's producer, MLX's bits and groups alone."""
    own = {key for key, value in block.items() if not isinstance(value, dict)}
    return bool(block.get("load_in_4bit") or block.get("load_in_8bit") or "producer" in block or (own and own <= MLX))


def judged(block: dict[str, Any], at: str) -> Iterator[Hit]:
    """The method, what it takes, and its groups."""
    method = block.get("quant_method")
    if isinstance(method, str) and method not in facts()["quantization_methods"] and method not in ENGINES:
        known = sorted({*facts()["quantization_methods"], *ENGINES})
        near = nearest(method.lower(), known)
        fix = Fix(f"write {near}", (Edit("set", f"{at}/quant_method", near),), safe=False) if near is not None else None
        yield Hit(
            f'quant_method "{method}" is no quantisation known',
            f"{at}/quant_method",
            help=f'did you mean "{near}"?' if near else ", ".join(known),
            fix=fix,
        )
        return
    if isinstance(method, str):
        yield from of_method(method, block, at)
    yield from of_groups(block, at)


def of_method(method: str, block: dict[str, Any], at: str) -> Iterator[Hit]:
    """Bits and words that the method takes."""
    bits, allowed = block.get("bits"), BITS.get(method)
    if allowed is not None and "bits" in block and (isinstance(bits, bool) or bits not in allowed):
        yield Hit(f"{method} with {json.dumps(bits)[:40]} bits", f"{at}/bits", help=f"{', '.join(map(str, allowed))} bits")
    if method == "gptq" and "bits" not in block:
        yield Hit("gptq without bits: transformers and vLLM ask for them", at, help='"bits": 4')
    for key, words in WORDS.get(method, {}).items():
        value = block.get(key)
        if isinstance(value, str) and value.lower() not in words:
            yield Hit(f'{method} with {key} "{value[:40]}"', f"{at}/{key}", help=", ".join(words))
    if method == "bitsandbytes":
        yield from of_bitsandbytes(block, at)
    groups = block.get("config_groups")
    for name, scheme in groups.items() if isinstance(groups, dict) and method == "compressed-tensors" else ():
        for part in ("weights", "input_activations"):
            given = scheme.get(part) if isinstance(scheme, dict) else None
            if isinstance(given, dict):
                yield from strategy(given, f"{at}/config_groups/{escape(name)}/{part}")


def of_groups(block: dict[str, Any], at: str) -> Iterator[Hit]:
    """Columns that share a scale, and blocks that do."""
    group = block.get("group_size")
    if isinstance(group, int) and not isinstance(group, bool) and group != -1 and group < 1:
        yield Hit(f"group_size {group}: a group of at least 1 column is needed, -1 for whole columns", f"{at}/group_size")
    sides = block.get("weight_block_size")
    if sides is not None and not (isinstance(sides, list) and len(sides) == 2 and all(isinstance(n, int) and n > 0 for n in sides)):
        yield Hit("weight_block_size is no pair of numbers above 0", f"{at}/weight_block_size", help="[128, 128]")


def of_bitsandbytes(block: dict[str, Any], at: str) -> Iterator[Hit]:
    """One of the two switches, and the types of the one for 4 bits."""
    four, eight = (block.get(key, block.get(f"_{key}")) is True for key in ("load_in_4bit", "load_in_8bit"))
    if four and eight:
        yield Hit("load_in_4bit and load_in_8bit are both true", f"{at}/load_in_8bit", help="one of them")
    elif not four and not eight:
        yield Hit(
            "bitsandbytes with neither load_in_4bit nor load_in_8bit: the packed weights are read as they stand", at, help="one of them"
        )
    kind = block.get("bnb_4bit_quant_type")
    if four and isinstance(kind, str) and kind not in ("nf4", "fp4"):
        yield Hit(f'bnb_4bit_quant_type "{kind[:40]}"', f"{at}/bnb_4bit_quant_type", help='"nf4" or "fp4"')
    dtype = block.get("bnb_4bit_compute_dtype")
    if isinstance(dtype, str) and dtype not in COMPUTE:
        help_ = ", ".join(COMPUTE[:3])
        yield Hit(f'bnb_4bit_compute_dtype "{dtype[:40]}" is no dtype of torch', f"{at}/bnb_4bit_compute_dtype", help=help_)


def strategy(given: dict[str, Any], at: str) -> Iterator[Hit]:
    """How the values share their scales, against the size of a group."""
    how, group = given.get("strategy"), given.get("group_size")
    grouped = how in ("group", "tensor_group")
    if grouped and group is None:
        yield Hit(f"strategy {how} without a group_size", f"{at}/strategy", help='"group_size": 128')
    elif isinstance(how, str) and not grouped and isinstance(group, int) and group > 0:
        yield Hit(f"group_size {group} with strategy {how[:20]}: only group has groups", f"{at}/group_size", help='"strategy": "group"')
