"""Output groups that the heads cannot be split into.

## What it does
Reports `o_groups` that does not divide the columns of all heads together.

## Why is this bad?
DeepSeek-V4 projects the output of its heads group by group, each group through a low rank of its own. Columns that the groups do
not divide fail in the first forward pass; the config loads and the model builds.

## Example
```json
{"model_type": "deepseek_v4", "architectures": ["DeepseekV4ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 1, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 16, "o_groups": 3, "o_lora_rank": 8, "q_lora_rank": 16, "qk_rope_head_dim": 8}
```

## Use instead
```json
{"model_type": "deepseek_v4", "architectures": ["DeepseekV4ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 1, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 16, "o_groups": 4, "o_lora_rank": 8, "q_lora_rank": 16, "qk_rope_head_dim": 8}
```

## Source
transformers 5.24.0, models/deepseek_v4/modeling_deepseek_v4.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF126", "output-groups-not-dividing", "error", needs=("o_groups", "o_lora_rank"))
def check(context: Context) -> Iterator[Hit]:
    """Heads * head_dim % o_groups."""
    for scope in context.scopes:
        heads, width, groups = first(scope, "heads"), first(scope, "head_dim"), scope.whole("o_groups")
        if heads is None or width is None or groups is None or groups < 1 or heads[1] < 1 or width[1] < 1:
            continue
        columns = heads[1] * width[1]
        if columns % groups:
            yield Hit(
                f"{heads[1]} heads of {width[1]} are {columns} columns, which {groups} output groups do not divide",
                scope.at("o_groups"),
                help=f"groups that divide {columns}",
                related=(Related(f"{heads[1]} heads", scope.at(heads[0])), Related(f"of {width[1]}", scope.at(width[0]))),
            )
