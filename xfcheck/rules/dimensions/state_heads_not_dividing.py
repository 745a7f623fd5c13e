"""Heads of a recurrent mixer that share their keys unevenly.

## What it does
Reports a number of state-space heads that the groups do not divide, and one of value heads of linear attention that the key heads do
not divide.

## Why is this bad?
A group's (or a key head's) projection is repeated for the heads that share it, by whole division. The config loads and the model
builds; the first forward pass fails on shapes.

## Example
```json
{"model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 8,
 "head_dim": 16, "expand": 2, "n_groups": 3, "state_size": 16, "vocab_size": 96, "torch_dtype": "bfloat16", "eos_token_id": 2}
```

## Use instead
```json
{"model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 8,
 "head_dim": 16, "expand": 2, "n_groups": 2, "state_size": 16, "vocab_size": 96, "torch_dtype": "bfloat16", "eos_token_id": 2}
```

## Source
Dao and Gu 2024, arXiv 2405.21060, section 7; Yang et al. 2024, arXiv 2412.06464; transformers 5.24.0, models/mamba2/modeling_mamba2.py
and models/qwen3_next/modeling_qwen3_next.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._sizes import divisors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


PAIRS = (
    ("mamba_n_heads", "mamba_n_groups"),
    ("n_mamba_heads", "mamba_ngroups"),
    ("mamba_num_heads", "n_groups"),
    ("num_heads", "n_groups"),
    ("linear_num_value_heads", "linear_num_key_heads"),
)
"""Heads, and what they share."""


@rule("XF127", "state-heads-not-dividing", "error", needs=[key for pair in PAIRS for key in pair])
def check(context: Context) -> Iterator[Hit]:
    """Heads % groups, of the file or of the class that reads both."""
    for scope in context.scopes:
        for heads_key, groups_key in PAIRS:
            if scope.table is None or heads_key not in scope.table.fields or groups_key not in scope.table.fields:
                continue
            heads, groups = scope.whole(heads_key), scope.whole(groups_key)
            if heads is None or groups is None or heads < 1 or groups < 1 or heads % groups == 0:
                continue
            yield Hit(
                f"{heads_key} {heads} is not divisible by {groups_key} {groups} (remainder {heads % groups})",
                scope.at(heads_key if scope.has(heads_key) else groups_key),
                help=f"{groups_key} {', '.join(map(str, divisors(heads)))}",
                related=(Related(f"{groups_key} {groups}", scope.at(groups_key)),),
            )
