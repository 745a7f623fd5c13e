"""An option of a training recipe that its tool does not act on.

## What it does
Reports options that are read and dropped, or not read at all: `padding_side` with packing (ms-swift), `max_seq_length` where TRL reads
`max_length`, `assistant_only_loss` under a fused loss, `packing` of preference pairs (LLaMA-Factory), `roles_to_train` of data sets
without roles (axolotl), packs without a size (Megatron-Bridge), lengths above the one that counts.

## Why is this bad?
The run goes on with another length or another mask than the recipe says, and nothing tells.

## Example
```text train.sh
swift sft --model Qwen/Qwen3-8B --dataset d.jsonl --max_length 4096 --padding_side left --attn_impl flash_attn --packing true
```

## Use instead
```text train.sh
swift sft --model Qwen/Qwen3-8B --dataset d.jsonl --max_length 4096 --attn_impl flash_attn --packing true
```

## Source
huggingface/trl#3781; unslothai/unsloth#2904; ms-swift 4.5.2, template_args.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF216", "recipe-option-without-effect", "warning", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """What the tool drops."""
    yield from said(context, "XF216")
