"""A training recipe whose loss covers more or less than the answers.

## What it does
Says where the prompt is in the loss, by an option or by the tool's default, and where earlier answers of a conversation are left out of it.

## Why is this bad?
It is a choice. Made without knowing, the model learns to write users' questions, or learns from the last answer alone.

## Example
```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
datasets: [{path: d.jsonl, type: alpaca}]
sequence_len: 2048
train_on_inputs: true
```

## Use instead
```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
datasets: [{path: d.jsonl, type: alpaca}]
sequence_len: 2048
train_on_inputs: false
```

## Source
torchtune, datasets/_alpaca.py; NeMo-Aligner, examples/nlp/gpt/conf/gpt_sft.yaml; hiyouga/LlamaFactory#10827.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF218", "prompt-trained", "info", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """What the loss covers."""
    yield from said(context, "XF218")
