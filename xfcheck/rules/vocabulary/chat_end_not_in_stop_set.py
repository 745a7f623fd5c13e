"""A chat template that ends answers with a token that does not stop generation.

## What it does
Reads from the text of the chat template which special token follows an assistant's message, and reports one whose id is not in the stop
set (`eos_token_id` of generation_config.json, else of config.json with the tokenizer's end token). The template is never run.

## Why is this bad?
The model was taught to end its turn with that token. If it does not stop there, it goes on and writes the user's next message too.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": 2}
```
```json generation_config.json
{"eos_token_id": 2}
```
```json tokenizer_config.json
{"model_max_length": 2048, "added_tokens_decoder": {"5": {"content": "<|im_end|>", "special": true}},
 "chat_template": "{% for m in messages %}{{ '<|im_start|>' + m['role'] + m['content'] + '<|im_end|>' }}{% endfor %}"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": [2, 5]}
```
```json generation_config.json
{"eos_token_id": [2, 5]}
```
```json tokenizer_config.json
{"model_max_length": 2048, "added_tokens_decoder": {"5": {"content": "<|im_end|>", "special": true}},
 "chat_template": "{% for m in messages %}{{ '<|im_start|>' + m['role'] + m['content'] + '<|im_end|>' }}{% endfor %}"}
```

## Source
Blaizzy/mlx-vlm#2112; unslothai/unsloth#416.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.chat_template import end_of_answer, template_of
from ...readers.tokenizer import ROLES, tokenizer_of
from .._finding import Hit, Related
from .._registry import rule
from ._ids import config_ids, generates, generation_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule(
    "XF607",
    "chat-end-not-in-stop-set",
    "warning",
    needs=("file:tokenizer_config.json", "file:chat_template.jinja", "file:chat_template.json"),
)
def check(context: Context) -> Iterator[Hit]:
    """The token after an answer, against the ids that stop."""
    template = template_of(context.folder)
    stop = generation_ids(context, "eos_token_id") or config_ids(context, "eos_token_id")
    if template is None or stop is None or not generates(context):
        return
    tokenizer = tokenizer_of(context.folder)
    variables = {f"{role}_token": token for role in ROLES if (token := tokenizer.token(role)) is not None}
    specials = frozenset({*variables.values(), *(tokenizer.added[i] for i in tokenizer.special_ids)})
    token = end_of_answer(template.text, variables, specials)
    number = None if token is None else tokenizer.id(token)
    allowed = set(stop.ids)
    if stop.file is None and (own := tokenizer.role_id("eos")) is not None:
        allowed.add(own)
    if token is None or number is None or number in allowed:
        return
    yield Hit(
        f"the chat template ends an answer with {token!r} (id {number}), which does not stop generation: the stop set is {stop}",
        stop.pointer,
        help=f'"eos_token_id": {sorted({*allowed, number})}',
        file=stop.file,
        related=(Related("the template", template.pointer, template.file),),
    )
