"""Generation behind padding.

## What it does
Warns where a causal model is to generate in batches and padding goes to the right: by tokenizer_config.json, else by
`train.padding_side`.

## Why is this bad?
The next token is taken from the last column. With padding on the right that column holds padding for every sequence but the
longest: they continue from nothing.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```
```json tokenizer_config.json
{"padding_side": "right", "model_max_length": 64}
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
```json tokenizer_config.json
{"padding_side": "left", "model_max_length": 64}
```
```yaml
deploy: {batch: 8, engine: transformers}
```

## Source
QwenLM/Qwen#63; transformers 5.24.0, generation/utils.py: a warning where the last column holds padding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from .pad_missing_for_batching import PADS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


FILE = "tokenizer_config.json"


@rule("XF204", "padding-side-right-for-generation", "warning", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """Batches, an engine that pads, a causal model, padding on the right."""
    batch, model = context.deploy.batch, context.model
    if batch is None or (batch == 1 and batch is not True) or context.deploy.engine not in PADS:
        return
    if model is None or model.architecture.head.kind != "causal":
        return
    data = context.side(FILE) if FILE in context.folder.beside() else None
    side = data.get("padding_side") if isinstance(data, dict) else None
    file, at = (FILE, "/padding_side") if side is not None else ("xfcheck.yaml", "/train/padding_side")
    if (side if side is not None else context.train.padding_side) == "right":
        yield Hit(
            "padding goes to the right: a causal model generates from the last column, which is padding for shorter sequences",
            at,
            help='"left" for generation',
            file=file,
            related=(Related("batches", "/deploy/batch", "xfcheck.yaml"),),
        )
