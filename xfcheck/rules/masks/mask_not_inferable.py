"""A padding id that also ends the text.

## What it does
An info where the config gives one id to padding and to the end of the text: at inference the attention mask cannot be inferred
from the ids and must be passed.

## Why is this bad?
A generator that gets no mask looks for padding ids. With this pair a finished sequence and padding look alike, so it masks
nothing and warns.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```

## Source
nv-tlabs/LLaMA-Mesh#4; transformers 5.24.0, generation/utils.py (`_prepare_attention_mask_for_generation`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF212", "mask-not-inferable", "info", needs=("pad_token_id", "file:tokenizer_config.json", "file:special_tokens_map.json"))
def check(context: Context) -> Iterator[Hit]:
    """One id, or one token of the tokenizer, for both."""
    for scope in context.scopes:
        padding, end = scope.whole("pad_token_id", default=False), scope.value("eos_token_id")
        if padding is not None and padding in (end if isinstance(end, list) else [end]):
            yield Hit(
                f"pad_token_id and eos_token_id are both {padding}: pass attention_mask, it cannot be inferred",
                scope.at("pad_token_id"),
                related=(Related("eos_token_id", scope.at("eos_token_id")),),
            )
            return
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        data = context.side(name) if name in context.folder.beside() else None
        tokens = [text(data.get(key)) for key in ("pad_token", "eos_token")] if isinstance(data, dict) else [None, None]
        if tokens[0] is not None and tokens[0] == tokens[1]:
            said = f"pad_token and eos_token are both {tokens[0][:40]!r}: pass attention_mask, it cannot be inferred"
            yield Hit(said, "/pad_token", file=name, related=(Related("eos_token", "/eos_token", name),))
            return


def text(token: object) -> str | None:
    """The text of a token, given as a string or as an object with its content."""
    inner = token.get("content") if isinstance(token, dict) else token
    return inner if isinstance(inner, str) else None
