"""Training sequences longer than the positions.

## What it does
Reports `train.sequence_length` beyond the maximum positions, where no rotary scaling reaches further.

## Why is this bad?
A learned table has no such row. Rotary positions go on, but the declared maximum is then wrong for everyone who reads the
trained model.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```
```yaml
train: {sequence_length: 128}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```
```yaml
train: {sequence_length: 64}
```

## Source
pytorch/torchtitan#3395.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._mechanisms import reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF318", "train-length-exceeds-positions", "error", needs=("yaml:train",))
def check(context: Context) -> Iterator[Hit]:
    """Training length <= reach; positions that a table loses at its beginning are XF328's."""
    length, bound = context.train.sequence_length, reach(context)
    if length is None or bound is None or length <= bound.tokens or (bound.kind == "learned" and length <= bound.rows):
        return
    what = f"{bound.tokens:,} rows of the position table" if bound.kind == "learned" else f"{bound.tokens:,} positions"
    yield Hit(
        f"training sequences of {length:,} tokens exceed the {what}",
        "/train/sequence_length",
        help=f"at most {bound.tokens:,}" + ("" if bound.kind == "learned" else ", a larger maximum, or a rotary scaling"),
        severity="warning" if bound.scaling == "dynamic" else None,
        file="xfcheck.yaml",
        related=(Related(f"{bound.tokens:,} positions", bound.at),),
    )
