"""A shape that a training framework cannot carry.

## What it does
Reports a `head_dim` that is not hidden_size / heads: GPT-NeoX has no key for the width of a head and derives it.

## Why is this bad?
The config is right and its own library reads it. A framework that derives the width trains another model, or refuses the checkpoint;
it shows only when somebody moves the model there.

## Example
```json
{"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"], "hidden_size": 80, "num_hidden_layers": 2, "num_attention_heads": 4,
 "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64, "head_dim": 32, "bos_token_id": 1,
 "eos_token_id": 2, "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"], "hidden_size": 80, "num_hidden_layers": 2, "num_attention_heads": 4,
 "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64, "head_dim": 20, "bos_token_id": 1,
 "eos_token_id": 2, "torch_dtype": "bfloat16"}
```

## Source
EleutherAI/gpt-neox#1434.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF903", "target-cannot-express", "info", needs=("head_dim",))
def check(context: Context) -> Iterator[Hit]:
    """head_dim against hidden_size / heads, where all three are written; never under latent attention, whose widths are its own."""
    for c in context.scopes:
        width, heads, hidden = (c.whole(key, default=False) for key in ("head_dim", "num_attention_heads", "hidden_size"))
        if width is None or heads is None or hidden is None or heads < 1 or width * heads == hidden or c.whole("kv_lora_rank"):
            continue
        derived = f"{hidden} / {heads} = {hidden / heads:g}"
        yield Hit(
            f"a GPT-NeoX config cannot carry head_dim {width}: it derives {derived}",
            c.at("head_dim"),
            help="a framework with a key for the width of a head",
            related=(Related(f"hidden_size {hidden}", c.at("hidden_size")),),
        )
