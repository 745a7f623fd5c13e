"""A decoder that does not know what to begin with.

## What it does
Warns of an encoder-decoder with a language-model head whose config gives no `decoder_start_token_id` and whose class has none, T5 and
its kin; a `bos_token_id` stands in where text is generated, also one of generation_config.json.

## Why is this bad?
Training shifts the labels to the right and puts this token in front: without it the first step raises, and so does `generate`.

## Example
```json
{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 64, "num_layers": 2, "num_heads": 4, "d_kv": 16,
 "d_ff": 128, "vocab_size": 96, "eos_token_id": 1, "pad_token_id": 0, "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 64, "num_layers": 2, "num_heads": 4, "d_kv": 16,
 "d_ff": 128, "vocab_size": 96, "eos_token_id": 1, "pad_token_id": 0, "decoder_start_token_id": 0, "torch_dtype": "bfloat16"}
```

## Source
huggingface/transformers#8218; VinAIResearch/BARTpho#4; transformers 5.24.0, models/t5/modeling_t5.py, `_shift_right`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._ids import config_ids, generation_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


KEYS = ("decoder_start_token_id", "bos_token_id")


@rule("XF614", "decoder-start-missing", "warning", needs=("d_kv", "num_decoder_layers"))
def check(context: Context) -> Iterator[Hit]:
    """Config, generation config and class, of a model that is one config in itself."""
    model, table = context.model, context.root.table
    if model is None or table is None or table.sub_configs or model.architecture.head.kind != "seq2seq":
        return
    if not any(config_ids(context, key) or generation_ids(context, key) for key in KEYS):
        pad = context.root.whole("pad_token_id")
        said = f"no decoder_start_token_id, and {table.model_type} has none of its own: labels cannot be shifted, generate refuses"
        yield Hit(said, "", help=f'"decoder_start_token_id": {0 if pad is None else pad}, the padding token in T5')
