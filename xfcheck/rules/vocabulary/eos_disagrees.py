"""End-of-text ids that differ between the files of a model.

## What it does
Compares `eos_token_id` of config.json and generation_config.json with the tokenizer's end token. An error where generation_config.json has
a stop set without the tokenizer's end token, a warning where the other files disagree.

## Why is this bad?
generation_config.json wins in transformers, the config in other loaders, the tokenizer in others again: in one of them the model does
not stop, or stops too early.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": 2}
```
```json generation_config.json
{"eos_token_id": 2}
```
```json tokenizer_config.json
{"eos_token": "<end>", "model_max_length": 2048, "added_tokens_decoder": {"3": {"content": "<end>", "special": true}}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": [2, 3]}
```
```json generation_config.json
{"eos_token_id": [2, 3]}
```
```json tokenizer_config.json
{"eos_token": "<end>", "model_max_length": 2048, "added_tokens_decoder": {"3": {"content": "<end>", "special": true}}}
```

## Source
huggingface/transformers#25426; InfiniTensor/InfiniLM#387; Blaizzy/mlx-vlm#2112; salesforce/CodeGen#32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.tokenizer import tokenizer_of
from .._finding import Hit, Related
from .._registry import rule
from ._ids import TOKENIZER, config_ids, generates, generation_ids, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF604", "eos-disagrees", "error", needs=("file:generation_config.json", *TOKENIZER))
def check(context: Context) -> Iterator[Hit]:
    """Stop set against the tokenizer, then config against stop set or tokenizer."""
    if not generates(context):
        return
    tokenizer, said, stop = tokenizer_of(context.folder), config_ids(context, "eos_token_id"), generation_ids(context, "eos_token_id")
    end = tokenizer.role_id("eos")
    place = tokenizer.special.get("eos", ("", "tokenizer_config.json"))[1]
    told = Related(f"{shown(tokenizer.token('eos'))}, id {end}", "/eos_token", place)
    if stop is not None and end is not None and end not in stop.ids:
        name = shown(tokenizer.token("eos"))
        yield Hit(
            f"the tokenizer ends texts with {name} (id {end}), which is not in the stop set {stop} of generation_config.json",
            stop.pointer,
            help=f'"eos_token_id": {sorted({*stop.ids, end})}',
            file="generation_config.json",
            related=(told,),
        )
    if said is None or said.default:
        return
    if stop is not None and set(said.ids) != set(stop.ids):
        yield Hit(
            f"eos_token_id is {said} in config.json and {stop} in generation_config.json, which wins in transformers",
            said.pointer,
            help="one value in both files",
            severity="warning",
            related=(Related(f"{stop}", stop.pointer, "generation_config.json"),),
        )
    elif stop is None and end is not None and end not in said.ids:
        yield Hit(
            f"eos_token_id is {said}, the tokenizer ends texts with {shown(tokenizer.token('eos'))} (id {end})",
            said.pointer,
            help=f"{end}, or a generation_config.json with both",
            severity="warning",
            related=(told,),
        )
