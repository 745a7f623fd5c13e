"""Positions lost at the beginning of a table.

## What it does
Reports a deployment or training length that the table has rows for, but not behind those that no token uses: RoBERTa's
positions begin after `pad_token_id`, BART's and OPT's at 2.

## Why is this bad?
The last tokens look up rows behind the end of the table: an index error, on a GPU an assertion without a place. A maximum of
514 means 512 tokens.

## Example
```json
{"model_type": "roberta", "architectures": ["RobertaForMaskedLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 18, "layer_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
```
```yaml
deploy: {context_length: 18}
```

## Use instead
```json
{"model_type": "roberta", "architectures": ["RobertaForMaskedLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 18, "layer_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
```
```yaml
deploy: {context_length: 16}
```

## Source
cardiffnlp/tweeteval#17; huggingface/transformers#15292; transformers 5.24.0, models/roberta/modeling_roberta.py
(`create_position_ids_from_input_ids`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._mechanisms import reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF328", "learned-offset", "error", needs=("yaml:deploy", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """Lengths between the usable positions and the rows."""
    bound = reach(context)
    if bound is None or bound.kind != "learned":
        return
    for length, at in (
        (context.deploy.context_length, "/deploy/context_length"),
        (context.train.sequence_length, "/train/sequence_length"),
    ):
        if length is not None and bound.tokens < length <= bound.rows:
            lost = bound.rows - bound.tokens
            yield Hit(
                f"{length:,} tokens do not fit: of {bound.rows:,} rows the first {lost} are no positions, {bound.tokens:,} are usable",
                at,
                help=f"at most {bound.tokens:,}",
                file="xfcheck.yaml",
                related=(Related(f"{bound.rows:,} rows", bound.at),),
            )
