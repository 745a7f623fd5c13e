"""Quantisation groups that do not fit the feed-forward width.

## What it does
Reports a feed-forward width (or an expert's) that the quantisation's group size does not divide, or whose share of one tensor-
parallel rank it does not divide, with the padded width that works. The model width, which no rank cuts, is held against the groups too,
where it is wider than one: it is the input of every other projection.

## Why is this bad?
Weights are scaled in groups along their input. A rank that gets a fraction of a group cannot unpack it: engines refuse the layout,
or kernels read the scales of a neighbour. A published model of 29568 = 231 x 128 columns runs on no 2 ranks with groups of 128.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 384, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
```
```yaml
deploy: {tensor_parallel: 2, engine: vllm}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 512, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
```
```yaml
deploy: {tensor_parallel: 2, engine: vllm}
```

## Source
vllm-project/vllm#21695; vllm-project/vllm#1258; QwenLM/Qwen3#698; intel/auto-round#643; vllm-project/vllm#5675.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...documents.document import escape
from .._finding import Hit, Related
from .._registry import rule
from ._sizes import Size, feed_forward, widths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .._context import Context


GROUPS = ("group_size", "q_group_size", "weight_block_size")


@rule("XF109", "quant-group-not-dividing-ffn", "error", needs=("quantization_config", "quantization"))
def check(context: Context) -> Iterator[Hit]:
    """Dff % group, and (dff / tp) % group."""
    tp = context.deploy.tensor_parallel or 1
    for pointer, group, blocks in groups(context):
        for size in feed_forward(context):
            fits = size.value % tp == 0 and (size.value // tp) % group == 0
            if not (fits or (blocks and (tp == 1 or size.value % tp))):
                yield uneven(size, group, tp, pointer)
        for size in [] if blocks else widths(context):
            if size.value > group and size.value % group:
                yield uneven(size, group, 1, pointer)


def uneven(size: Size, group: int, ranks: int, pointer: str) -> Hit:
    """The finding about one size, each rank's share of it where ranks cut it."""
    share = f"{size.value} / {ranks} = {size.value / ranks:g} columns a rank" if ranks > 1 else f"{size.value} columns"
    padded = -(-size.value // (group * ranks)) * group * ranks
    return Hit(
        f"{size.label} {size.value}: {share} are no whole number of groups of {group}",
        size.at,
        help=f"pad it to {padded}" + (", or another tensor_parallel" if ranks > 1 else ""),
        related=(Related(f"groups of {group}", pointer),),
    )


def groups(context: Context) -> Iterator[tuple[str, int, bool]]:
    """(pointer, columns a group, whether they are square blocks, which a loader pads where no rank cuts them)."""
    for key in ("quantization_config", "quantization"):
        given = context.data.get(key)
        if isinstance(given, dict):
            yield from _found(given, f"/{key}")
            schemes = given.get("config_groups")
            for name, scheme in schemes.items() if isinstance(schemes, dict) else ():
                weights = scheme.get("weights") if isinstance(scheme, dict) else None
                if isinstance(weights, dict):
                    yield from _found(weights, f"/{key}/config_groups/{escape(name)}/weights")


def _found(given: dict[str, Any], pointer: str) -> Iterator[tuple[str, int, bool]]:
    for key in GROUPS:
        value = given.get(key)
        sides = value if isinstance(value, list) else [value]
        whole = [side for side in sides if isinstance(side, int) and not isinstance(side, bool) and side > 1]
        if whole:
            yield f"{pointer}/{key}", whole[0], isinstance(value, list)
