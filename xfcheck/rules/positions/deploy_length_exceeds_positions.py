"""A deployment longer than the positions.

## What it does
Reports `deploy.context_length` beyond the rows of a learned table, or beyond what rotary positions reach without a scaling that
covers it. Warns where the deployment is longer than the training sequences and no scaling is given.

## Why is this bad?
A learned table cannot be extrapolated. Engines refuse a length beyond the derived maximum, or serve it and answer with noise
once a conversation gets there.

## Example
```json
{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 16,
 "vocab_size": 96, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
deploy: {context_length: 20}
```

## Use instead
```json
{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 16,
 "vocab_size": 96, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
deploy: {context_length: 16}
```

## Source
vllm-project/vllm#2565; huggingface/open-r1#645; huggingface/transformers#530; unslothai/unsloth#1236.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._mechanisms import reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF319", "deploy-length-exceeds-positions", "error", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """Deployment length <= reach, and <= the training length without a scaling."""
    length, bound, trained = context.deploy.context_length, reach(context), context.train.sequence_length
    if length is None or bound is None:
        return
    at, file = "/deploy/context_length", "xfcheck.yaml"
    if length > bound.rows and bound.kind == "learned":
        yield Hit(
            f"{length:,} tokens exceed the {bound.tokens:,} positions of a learned table, which cannot be extrapolated",
            at,
            help=f"at most {bound.tokens:,}",
            file=file,
            related=(Related(f"{bound.rows:,} rows", bound.at),),
        )
    elif length > bound.tokens and bound.kind != "learned":
        scaled = bound.scaling is not None
        yield Hit(
            f"{length:,} tokens exceed the {bound.tokens:,} positions"
            + (f" that {bound.scaling} reaches" if scaled else ", and there is no rotary scaling"),
            at,
            help=f"at most {bound.tokens:,}" + ("" if scaled else f", or yarn with factor {-(-length // bound.tokens)}"),
            severity="warning" if bound.scaling == "dynamic" else None,
            file=file,
            related=(Related(f"{bound.tokens:,} positions", bound.at),),
        )
    elif trained is not None and length > trained and bound.scaling is None:
        yield Hit(
            f"deployed with {length:,} tokens, trained on sequences of {trained:,}",
            at,
            help="a training length that covers the deployment, or a rotary scaling",
            severity="warning",
            file=file,
            related=(Related(f"sequence_length {trained}", "/train/sequence_length", file),),
        )
