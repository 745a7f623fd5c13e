"""Samples of which no token is trained.

## What it does
Reports prompts that are as long as the whole sequence while prompts are masked, a response template that the chat template does not
contain, and recipes that select no role, or find labels by searching for a text.

## Why is this bad?
Every label of such a sample is -100. Its loss is 0.0 or NaN, and the run looks fine.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {sequence_length: 16, longest_prompt: 40, loss_mask: {prompt: masked}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {sequence_length: 128, longest_prompt: 40, loss_mask: {prompt: masked}}
```

## Source
huggingface/trl#6668, #5826; snowflakedb/ArcticTraining#335; unslothai/unsloth#2900, #3198.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.chat_template import pieces, template_of
from .._finding import Hit, Related
from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...readers.chat_template import Piece
    from .._context import Context

SETTINGS = "xfcheck.yaml"


@rule("XF206", "all-labels-masked", "error", needs=("recipe", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """Lengths, then the template that is searched for."""
    yield from said(context, "XF206")
    train = context.train
    mask, limit = train.loss_mask, train.sequence_length
    trained = mask is not None and mask.prompt == "trained"
    for key, prompt in (("longest_prompt", train.longest_prompt), ("max_prompt_length", train.max_prompt_length)):
        if prompt is not None and limit is not None and prompt >= limit and not trained:
            said_ = f"{key} {prompt} leaves nothing of a sequence of {limit}: every label of such a sample is masked"
            at = (Related(f"sequence_length {limit}", "/train/sequence_length", SETTINGS),)
            yield Hit(said_, f"/train/{key}", help=f"a sequence_length above {prompt}", file=SETTINGS, related=at)
            break
    template = None if mask is None or mask.template is None else template_of(context.folder)
    if (
        template is not None
        and mask.template.strip()
        and mask.template.strip() not in "".join(_said_for_assistant(p) for p in pieces(template.text))
    ):
        yield Hit(
            f"the response template {mask.template[:60]!r} is not in the chat template: every label is masked",
            "/train/loss_mask/template",
            help="the text that stands before an answer in the chat template",
            severity="warning",
            file=SETTINGS,
            related=(Related("the chat template", template.pointer, template.file),),
        )


def _said_for_assistant(piece: Piece) -> str:
    """What a piece of the template writes into an assistant's message, its text left out."""
    if piece.kind == "text":
        return piece.text
    return "assistant" if piece.kind == "value" and piece.text.rstrip("'\"]").endswith("role") else ""
