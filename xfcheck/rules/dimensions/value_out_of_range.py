"""A number that no model has.

## What it does
Reports a rotary base, a scale, a soft cap or a multiplier that is not above zero, a low-rank width of zero, a maximum length below
one, a negative epsilon, a dropout outside 0 to 1, a rotated share outside 0 to 1, and sizes beyond any model. In a rotary block also
a factor of longrope's lists at or below zero, and yarn's `beta_fast` below `beta_slow`. A value that is the class's own default
is left alone.

## Why is this bad?
Loaders take them all. A soft cap of 0 divides by zero, a negative base gives NaN angles, a rank of 0 builds matrices without
columns: the model runs and its output means nothing.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "rope_theta": -1.0}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "rope_theta": 10000.0}
```

## Source
Su et al. 2021, arXiv 2104.09864; transformers 5.24.0: q_lora_rank 0 builds tensors of rank 0, a negative max_position_embeddings
loads; an infinite rope_theta gives the frequencies 1, 0, 0, and so on, which is a model, NaN gives none.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

from ...documents.document import escape
from .._facts import facts
from .._finding import Hit
from .._names import LARGEST, OF
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .._context import Context, Scope


POSITIVE = frozenset(
    [
        "rope_theta",
        "compress_rope_theta",
        "rotary_emb_base",
        "rope_local_base_freq",
        "global_rope_theta",
        "local_rope_theta",
        "attn_logit_softcapping",
        "final_logit_softcapping",
        "logits_soft_cap",
        "attention_logit_cap",
        "gate_soft_cap",
        "moe_router_logit_softcapping",
        "output_logit_soft_cap",
        "attention_multiplier",
        "embedding_multiplier",
        "residual_multiplier",
        "key_multiplier",
        "lm_head_multiplier",
        "ssm_in_multiplier",
        "ssm_out_multiplier",
        "attention_in_multiplier",
        "attention_out_multiplier",
        "logits_scaling",
        "logit_scale",
        "scale_emb",
        "scale_depth",
        "embedding_scale",
        "routed_scaling_factor",
        "moe_routed_scaling_factor",
        "router_scaling_factor",
        "moe_router_scaling_factor",
        "route_scale",
        "query_pre_attn_scalar",
        "softmax_scale",
        "clip_qkv",
        "attention_factor",
        "beta_fast",
        "beta_slow",
        "low_freq_factor",
        "high_freq_factor",
    ]
)
UNBOUNDED = frozenset(
    [
        "rope_theta",
        "compress_rope_theta",
        "rotary_emb_base",
        "rope_local_base_freq",
        "global_rope_theta",
        "local_rope_theta",
        "clip_qkv",
    ]
)
"""Those that mean something at infinity: one pair of a head turns and no other, nothing is clipped. A cap or a factor gives NaN."""
RANKS = frozenset(["kv_lora_rank", "q_lora_rank", "o_lora_rank", "laurel_rank", "adapter_rank", "embedding_rank", "gated_norm_rank"])
LENGTHS = frozenset(["max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_source_positions", "max_target_positions"])
SHARES = frozenset(["partial_rotary_factor", "rotary_pct"])


@rule("XF118", "value-out-of-range", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Each number of each config object, and of its rotary block, against the range of its key."""
    for scope in context.nested:
        for key, value in scope.data.items():
            if key in ranges() and (scope.table is None or scope.table.accepts(key)):
                yield from judged(scope, key, value, f"{scope.pointer}/{escape(key)}")
        for pointer, block in scope.rotary_blocks():
            for key, value in block.items():
                yield from judged(scope, key, value, f"{pointer}/{escape(key)}")
            yield from stretched(block, pointer)


def stretched(block: dict[str, Any], pointer: str) -> Iterator[Hit]:
    """Longrope's factors, each above zero, and yarn's two bounds in their order."""
    for key in ("short_factor", "long_factor"):
        factors = block.get(key)
        low = next((n for n in factors if isinstance(n, int | float) and not n > 0), None) if isinstance(factors, list) else None
        if low is not None:
            yield Hit(f"{key} holds {low}, factors above 0 are needed", f"{pointer}/{key}")
    fast, slow = block.get("beta_fast"), block.get("beta_slow")
    if isinstance(fast, int | float) and isinstance(slow, int | float) and 0 < fast < slow:
        yield Hit(f"beta_fast {fast} is below beta_slow {slow}: the ramp between them runs backwards", f"{pointer}/beta_fast")


@functools.cache
def ranges() -> dict[str, list[tuple[Callable[[float], bool], str]]]:
    """Key -> (whether a value fits, what is asked for where it does not) of each range that it has."""
    rows: tuple[tuple[Iterable[str], Callable[[float], bool], str], ...] = (
        (OF, lambda value: not value > LARGEST, "no model has one so large"),
        (POSITIVE, lambda value: value > 0, "a number above 0 is needed"),
        (POSITIVE - UNBOUNDED, lambda value: not math.isinf(value), "a finite number is needed"),
        (RANKS, lambda value: not value < 1, "a rank of at least 1 is needed (null for none, where the class takes it)"),
        (LENGTHS, lambda value: not value < 1, "a length of at least 1 token is needed"),
        (facts()["epsilons"], lambda value: not (value < 0 or math.isinf(value)), "an epsilon is not negative"),
        (SHARES, lambda value: 0 <= value <= 1, "a share of the head between 0 and 1 is needed"),
        (facts()["dropouts"], lambda value: 0 <= value <= 1, "a probability between 0 and 1 is needed"),
    )
    out: dict[str, list[tuple[Callable[[float], bool], str]]] = {}
    for keys, fits, said in rows:
        for key in keys:
            out.setdefault(key, []).append((fits, said))
    return out


def judged(scope: Scope, key: str, value: Any, at: str) -> Iterator[Hit]:
    """The finding about one number, unless the class itself has that value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    wanted = wants(key, value)
    if wanted is not None and (scope.table is None or scope.table.default(key) != value):
        yield Hit(f"{key} is {value}, {wanted}", at)


def wants(key: str, value: float) -> str | None:
    """What the first range of the key that the value is outside of asks for."""
    return next((said for fits, said in ranges().get(key, ()) if not fits(value)), None)
