"""An option that means something else in another version of its tool.

## What it does
Names options of a training recipe that were renamed, removed, or given another meaning or default between versions of the tool.

## Why is this bad?
The same file trains another model after an upgrade.

## Example
```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: pairs
beta: 0.1
max_length: 1024
max_prompt_length: 512
```

## Use instead
```yaml dpo.yaml
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: pairs
beta: 0.1
max_length: 1024
```

## Source
trl, dpo_config.py at v0.20.0, v0.24.0 and v1.0.0; hiyouga/LlamaFactory#7318; torchtune, data/_messages.py; ms-swift at v2, v3 and v4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF219", "recipe-default-changed", "info", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """What changed."""
    yield from said(context, "XF219")
