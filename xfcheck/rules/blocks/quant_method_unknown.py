"""A quantisation that no reader knows.

## What it does
Reports a `quant_method` that neither transformers nor a serving engine has, with the nearest name, and numbers of bits or group
sizes that the method does not allow. Blocks without a method (MLX) are fine.

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

from typing import TYPE_CHECKING, Any

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


@rule("XF416", "quant-method-unknown", "error", needs=("quantization_config",))
def check(context: Context) -> Iterator[Hit]:
    """The quantisation block of the root and of each nested config."""
    for scope in context.nested:
        block = scope.data.get("quantization_config")
        if isinstance(block, dict):
            yield from judged(block, f"{scope.pointer}/quantization_config")


def judged(block: dict[str, Any], at: str) -> Iterator[Hit]:
    """The method, its bits and its groups."""
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
    bits, allowed = block.get("bits"), BITS.get(method) if isinstance(method, str) else None
    if allowed is not None and isinstance(bits, int) and not isinstance(bits, bool) and bits not in allowed:
        yield Hit(f"{method} with {bits} bits", f"{at}/bits", help=f"{', '.join(map(str, allowed))} bits")
    group = block.get("group_size")
    if isinstance(group, int) and not isinstance(group, bool) and group != -1 and group < 1:
        yield Hit(f"group_size {group}: a group of at least 1 column is needed, -1 for whole columns", f"{at}/group_size")
    if method == "bitsandbytes" and block.get("load_in_4bit") is True and block.get("load_in_8bit") is True:
        yield Hit("load_in_4bit and load_in_8bit are both true", f"{at}/load_in_8bit", help="one of them")
