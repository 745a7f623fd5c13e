"""A padding token that is the end token, where labels are masked by its id.

## What it does
Compares the padding id with the end ids. An error where the recipe masks labels by the padding id (`train.loss_mask.by: pad_id`,
collators of that kind in TRL recipes, Megatron-LM's supervised tuning), an info where it masks by attention mask or before padding,
or does not say.

## Why is this bad?
Masking by id takes the real end tokens out of the loss along with the padding: the model never learns to stop.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 2, "eos_token_id": 2}
```
```yaml
train: {loss_mask: {by: pad_id}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0, "eos_token_id": 2}
```
```yaml
train: {loss_mask: {by: pad_id}}
```

## Source
huggingface/trl#976, #6357; mlabonne/llm-course#33; unslothai/unsloth#416. transformers 5.24.0: DataCollatorForLanguageModeling
turns the real end labels into -100, DataCollatorForSeq2Seq keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.tokenizer import tokenizer_of
from .._finding import Hit, Related
from .._registry import rule
from ..vocabulary._ids import config_ids, generation_ids
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

BY_ID = ("megatron",)
"""Frameworks that mask labels by the padding id unless told otherwise."""


@rule("XF201", "pad-equals-eos-in-training", "error", needs=("recipe", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """The ids of config and tokenizer, and how labels are masked."""
    if context.recipe is not None:
        yield from said(context, "XF201")
        return
    train = context.train
    by = None if train.loss_mask is None else train.loss_mask.by
    if not train or train.loss == "masked":
        return
    same = _same(context)
    if same is None:
        return
    what, pointer, file = same
    by_id = by == "pad_id" or (by is None and train.framework in BY_ID)
    how = (
        "labels are masked by its id: the end is never trained"
        if by_id
        else "harmless where labels are masked before padding or by attention_mask"
    )
    yield Hit(
        f"{what}, and {how}" if by_id else f"{what}: {how}",
        pointer,
        help="a padding token of its own, an unused one of the vocabulary"
        if by_id
        else "loss_mask.by in the train section says which it is",
        severity="error" if by_id else "info",
        file=file,
        related=(Related(f"by {by}", "/train/loss_mask/by", "xfcheck.yaml"),) if by is not None else (),
    )


def _same(context: Context) -> tuple[str, str, str | None] | None:
    """What is padding and end at once: message, pointer, file. The tokenizer pads, so its token counts before the config's id."""
    tokenizer = tokenizer_of(context.folder)
    pad, end = tokenizer.token("pad"), tokenizer.token("eos")
    if pad is not None and end is not None:
        return (f"the padding token {pad!r} is the end token", "/pad_token", tokenizer.special["pad"][1]) if pad == end else None
    padding, ends = config_ids(context, "pad_token_id"), generation_ids(context, "eos_token_id") or config_ids(context, "eos_token_id")
    if padding is None or ends is None or padding.default or padding.ids[0] not in ends.ids:
        return None
    return f"pad_token_id {padding} is an end id", padding.pointer, None
