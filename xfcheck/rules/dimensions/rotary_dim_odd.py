"""An odd number of rotated dimensions.

## What it does
Reports a rotary width (the head width, or the rotated share of it) that is odd.

## Why is this bad?
Rotary positions turn pairs of dimensions: an odd one has no partner. Some loaders check the head width and exempt small or partly
rotated ones, which then fail in the first forward pass.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 72, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
Su et al. 2021, arXiv 2104.09864, section 3.2.2; allenai/OLMo-core#555.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._names import first, read
from .._registry import rule
from ._heads import latent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


@rule("XF111", "rotary-dim-odd", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """int(dh * partial) of each rotary attention is even."""
    for scope in context.scopes:
        for width in sorted(rotated(context, scope)):
            if width % 2:
                named = next((key for key, value in (*read(scope, "head_dim"), *read(scope, "latent")) if value == width), None)
                share = next((key for key in ("partial_rotary_factor", "rotary_pct", "rotary_dim") if scope.has(key)), None)
                yield Hit(
                    f"{width} rotated dimensions a head: rotary positions turn pairs, an even number is needed",
                    scope.at(named or share or "num_attention_heads"),
                    help=f"{width - 1 or 2} or {width + 1}",
                )


def rotated(context: Context, scope: Scope) -> set[int]:
    """Rotated widths of the model's attentions; of the keys where there is no model and the class is rotary."""
    if context.of_model(scope):
        positions = [getattr(m, "position", None) for m in context.mixers]
        return {p.width for p in positions if p is not None and p.kind == "rotary" and p.width is not None and p.width > 0}
    width, heads, head_dim = first(scope, "width"), first(scope, "heads"), first(scope, "head_dim")
    if scope.table is None or scope.table.default_theta is None:
        return set()
    if latent(scope):
        turned = scope.whole("qk_rope_head_dim")
        return {turned} if turned is not None and turned > 0 else set()
    share = scope.real("partial_rotary_factor")
    if head_dim is None and (width is None or heads is None or heads[1] < 1 or width[1] % heads[1]):
        return set()
    whole = head_dim[1] if head_dim is not None else width[1] // heads[1]  # type: ignore[index]
    return {int(whole * share) if share is not None and 0 < share <= 1 else whole} - {0}
