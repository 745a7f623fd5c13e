"""A pattern of layers that cannot be laid out.

## What it does
Reports an offset that is not below its period, an interval below one, letters of a block pattern that no reader knows, a pattern of
another length than the depth; warns of listed layers that the model does not have.

## Why is this bad?
Each n-th layer attends, or has experts, or sees everything. An offset outside its period selects no layer at all: the model is
built without any attention (or experts), silently.

## Example
```json
{"model_type": "jamba", "architectures": ["JambaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 8,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "attn_layer_period": 8,
 "attn_layer_offset": 9, "expert_layer_period": 2, "expert_layer_offset": 1, "num_experts": 4, "num_experts_per_tok": 2,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "jamba", "architectures": ["JambaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 8,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "attn_layer_period": 8,
 "attn_layer_offset": 4, "expert_layer_period": 2, "expert_layer_offset": 1, "num_experts": 4, "num_experts_per_tok": 2,
 "torch_dtype": "bfloat16"}
```

## Source
Lieber et al. 2024, arXiv 2403.19887; transformers 5.24.0, models/jamba/configuration_jamba.py,
models/nemotron_h/configuration_nemotron_h.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


PERIODS = {"attn_layer_offset": "attn_layer_period", "expert_layer_offset": "expert_layer_period"}
INTERVALS = (
    "attn_layer_period",
    "expert_layer_period",
    "full_attention_interval",
    "sliding_window_pattern",
    "global_attn_every_n_layers",
    "interleave_moe_layer_step",
    "no_rope_layer_interval",
    "moe_layer_interval",
    "layer_group_size",
    "cross_layer_interval",
    "inner_group_num",
)
PATTERNS = {"hybrid_override_pattern": "M*-E"}
"""Key -> the letters it may hold (Nemotron-H: state space, attention, feed-forward, experts)."""
LISTED = ("attn_layer_indices", "full_attn_idxs", "cross_attention_layers")


@rule("XF121", "layer-pattern-offset", "error", needs=(*PERIODS, *INTERVALS, *PATTERNS, *LISTED))
def check(context: Context) -> Iterator[Hit]:
    """Offsets, intervals, letters and indices of each config object."""
    for scope in context.nested:
        for key in INTERVALS:
            value = scope.whole(key, default=False)
            if value is not None and value < 1 and reads(scope, key):
                yield Hit(f"{key} is {value}, an interval of at least 1 layer is needed", scope.at(key))
        for key, period_key in PERIODS.items():
            value, period = scope.whole(key), scope.whole(period_key)
            if value is None or period is None or period < 1 or not (scope.has(key) or scope.has(period_key)) or not reads(scope, key):
                continue
            if not 0 <= value < period:
                yield Hit(
                    f"{key} {value} is not below {period_key} {period}: no layer is chosen",
                    scope.at(key),
                    help=f"0 to {period - 1}",
                    related=(Related(f"{period_key} {period}", scope.at(period_key)),),
                )
        yield from lettered(scope)
        yield from listed(scope)


def reads(scope: Scope, key: str) -> bool:
    """Whether the class gives the key a meaning."""
    return scope.table is None or scope.table.accepts(key)


def lettered(scope: Scope) -> Iterator[Hit]:
    """Patterns with one letter a layer."""
    depth = first(scope, "depth")
    for key, letters in PATTERNS.items():
        pattern = scope.string(key, default=False)
        if not pattern:
            continue
        strange = sorted(set(pattern) - set(letters))
        if strange:
            yield Hit(f"{key} holds {strange[0]!r}, which is no kind of block", scope.at(key), help=f"letters of {letters}")
        elif depth is not None and scope.has(depth[0]) and len(pattern) != depth[1]:
            yield Hit(f"{key} has {len(pattern)} letters for {depth[0]} {depth[1]}", scope.at(key), help="one letter a layer")


def listed(scope: Scope) -> Iterator[Hit]:
    """Lists of layer indices."""
    depth = first(scope, "depth")
    for key in LISTED:
        value = scope.data.get(key)
        if depth is None or depth[1] < 1 or not isinstance(value, list) or not reads(scope, key):
            continue
        outside = [i for i in value if isinstance(i, int) and not isinstance(i, bool) and not 0 <= i < depth[1]]
        if outside:
            said = f"{key} names layer {outside[0]}, the model has layers 0 to {depth[1] - 1}"
            yield Hit(said, scope.at(key), severity="warning")
