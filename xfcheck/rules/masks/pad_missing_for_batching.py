"""Batches without a padding id.

## What it does
Warns where sequences are padded into batches, in training or in deployment with an engine that pads, and neither config.json
nor generation_config.json nor the tokenizer names a padding token. Where the config does not mention one and no other file is
at hand, only a deployment with a named engine is judged.

## Why is this bad?
The generator falls back to the end token with a line in the log; a collator stops, or pads with 0. Either way some real token
is masked.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": null}
```
```yaml
deploy: {batch: 8, engine: transformers}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```
```yaml
deploy: {batch: 8, engine: transformers}
```

## Source
QwenLM/Qwen#63; transformers 5.24.0, generation/utils.py (`_prepare_special_tokens`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


PADS = (None, "transformers", "tgi")
"""Engines that pad a batch; the others run each sequence at its own length."""


@rule("XF202", "pad-missing-for-batching", "warning", needs=("yaml:deploy", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """A batch of several sequences, and no padding id anywhere."""
    where = batched(context)
    if where is None or not context.scopes or any(given(scope.value("pad_token_id")) for scope in (context.root, *context.scopes)):
        return
    beside = context.folder.beside()
    named = {"generation_config.json": "pad_token_id", "tokenizer_config.json": "pad_token", "special_tokens_map.json": "pad_token"}
    for name, key in named.items():
        data = context.side(name) if name in beside else None
        if isinstance(data, dict) and data.get(key) is not None:
            return
    size, at = where
    said = any(scope.has("pad_token_id") for scope in (context.root, *context.scopes)) or any(name in beside for name in named)
    if not said and not (at == "/deploy/batch" and context.deploy.engine is not None):
        return  # a tokenizer that is not at hand may name one
    yield Hit(
        f"{'batches' if size is True else f'batches of {size}'} and no padding id in any file",
        at,
        help='"pad_token_id" in the config, with a token that is not otherwise used',
        file="xfcheck.yaml",
    )


def batched(context: Context) -> tuple[int, str] | None:
    """The size of a batch that is padded, and where it is said."""
    if context.deploy.batch is not None and (context.deploy.batch is True or context.deploy.batch > 1) and context.deploy.engine in PADS:
        return context.deploy.batch, "/deploy/batch"
    if context.train.batch is not None and context.train.batch > 1 and context.train.packing is not True:
        return context.train.batch, "/train/batch"
    return None


def given(value: object) -> bool:
    """Whether a value is an id."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
