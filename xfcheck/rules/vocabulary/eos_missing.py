"""A model that generates and has no end-of-text id.

## What it does
Reports a causal or encoder-decoder model where neither config.json (with its class default) nor generation_config.json nor the tokenizer
gives an end token: a warning where one of the latter two files is at hand, an info for a config alone. A config that
gives `bos_token_id` and leaves the end to its class is a warning too: a conversion lost it.

## Why is this bad?
Generation then runs to the length limit each time.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": null}
```
```json generation_config.json
{"max_new_tokens": 256}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": 2}
```
```json generation_config.json
{"max_new_tokens": 256, "eos_token_id": 2}
```

## Source
JustVugg/colibri#1478; transformers 5.24.0, generation/utils.py, `_prepare_special_tokens`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.tokenizer import tokenizer_of
from .._finding import Hit
from .._registry import rule
from ._ids import config_ids, generates, generation_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF606", "eos-missing", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """No id in any of the three places."""
    scope = context.scopes[0]
    known, found = scope.table is not None, config_ids(context, "eos_token_id")
    if not known or not generates(context):
        return
    lost = found is not None and found.default and scope.whole("bos_token_id", default=False) is not None
    if found is not None and not lost:
        return
    if generation_ids(context, "eos_token_id") is not None or tokenizer_of(context.folder).token("eos") is not None:
        return
    beside = {"generation_config.json", "tokenizer_config.json", "special_tokens_map.json"} & set(context.folder.beside())
    places = " nor ".join(["config.json", *sorted(beside)])
    alone = "the config gives no eos_token_id, and no generation_config.json is beside it"
    if lost:
        alone = f"the file gives a bos_token_id and no eos_token_id: the class default {found} is taken"
    yield Hit(
        f"no end-of-text id: neither {places} gives one" if beside and not lost else alone,
        scope.at("eos_token_id"),
        help="eos_token_id in generation_config.json, or the model runs to its length limit",
        severity="warning" if beside or lost else "info",
    )
