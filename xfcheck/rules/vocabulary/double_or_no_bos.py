"""A first token that is written twice, or not at all.

## What it does
Reports a chat template that writes the beginning-of-text token while the tokenizer adds one too (`add_bos_token: true`), and, as an info,
one that writes none while `add_bos_token` is false. The template is never run.

## Why is this bad?
A prompt that is rendered first and encoded afterwards begins with the token twice; the model has never seen that, or has never seen a text
without it.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```json tokenizer_config.json
{"bos_token": "<s>", "add_bos_token": true, "model_max_length": 2048,
 "chat_template": "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```json tokenizer_config.json
{"bos_token": "<s>", "add_bos_token": false, "model_max_length": 2048,
 "chat_template": "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"}
```

## Source
sgl-project/sglang#888; deepseek-ai/DeepSeek-R1#151; unslothai/unsloth#10312; allenai/reward-bench#164.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.chat_template import template_of, writes
from ...readers.tokenizer import tokenizer_of
from .._finding import Hit, Related
from .._registry import rule
from ._ids import config_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF608", "double-or-no-bos", "warning", needs=("file:tokenizer_config.json", "file:tokenizer.json"))
def check(context: Context) -> Iterator[Hit]:
    """What the template writes, against what encoding adds."""
    template, tokenizer = template_of(context.folder), tokenizer_of(context.folder)
    if template is None:
        return
    written = writes(template.text, tokenizer.token("bos"), "bos_token")
    explicit = isinstance(tokenizer.config.get("add_bos_token"), bool)
    place = ("/add_bos_token", "tokenizer_config.json") if explicit else (template.pointer, template.file)
    if written and tokenizer.adds_bos:
        how = "add_bos_token is true" if explicit else "the post-processor of tokenizer.json adds it"
        yield Hit(
            f"the beginning-of-text token comes twice where a rendered chat is encoded: the template writes it and {how}",
            place[0],
            help="add_bos_token false, or encode rendered chats with add_special_tokens=False",
            severity="warning" if explicit else "info",
            file=place[1],
            related=(Related("the template", template.pointer, template.file),),
        )
    elif not written and explicit and tokenizer.adds_bos is False and _has_bos(context):
        yield Hit(
            "no beginning-of-text token: the template writes none and add_bos_token is false",
            place[0],
            help="right where the model was trained without one; encode a rendered chat to see",
            severity="info",
            file=place[1],
        )


def _has_bos(context: Context) -> bool:
    config = tokenizer_of(context.folder).config
    return config_ids(context, "bos_token_id") is not None and not ("bos_token" in config and config["bos_token"] is None)
