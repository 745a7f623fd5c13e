"""A padding id that the tokenizer does not pad with.

## What it does
Compares `pad_token_id` of config.json and of generation_config.json with the id of the tokenizer's padding token.

## Why is this bad?
Batches are padded with the tokenizer's id. A model that takes another one for padding (to place positions, to find the last token of a
sequence, to mask labels) reads padding as text.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```json tokenizer_config.json
{"pad_token": "<pad>", "model_max_length": 2048, "added_tokens_decoder": {"3": {"content": "<pad>", "special": true}}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 3}
```
```json tokenizer_config.json
{"pad_token": "<pad>", "model_max_length": 2048, "added_tokens_decoder": {"3": {"content": "<pad>", "special": true}}}
```

## Source
HUBioDataLab/SELFormer#19.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.tokenizer import tokenizer_of
from .._finding import Hit, Related
from .._registry import rule
from ._ids import TOKENIZER, config_ids, generation_ids, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF610", "pad-id-differs", "warning", needs=TOKENIZER)
def check(context: Context) -> Iterator[Hit]:
    """Both written ids against the tokenizer's; a negative one is XF603's."""
    tokenizer = tokenizer_of(context.folder)
    pad = tokenizer.role_id("pad")
    if pad is None:
        return
    place = tokenizer.special["pad"][1]
    for said in (config_ids(context, "pad_token_id"), generation_ids(context, "pad_token_id")):
        if said is None or said.default or said.ids[0] < 0 or pad in said.ids:
            continue
        yield Hit(
            f"pad_token_id is {said}, the tokenizer pads with {shown(tokenizer.token('pad'))} (id {pad})",
            said.pointer,
            help=f"{pad} in both files",
            file=said.file,
            related=(Related(f"id {pad}", "/pad_token", place),),
        )
        return
