"""Masks of answers that the chat template does not mark.

## What it does
Reports prompts that are to be masked (`train.loss_mask.prompt: masked`, `assistant_only_loss`) where the chat template has no
`{% generation %}` blocks: an error for TRL, which takes the mask from them alone, a warning for tools that guess the spans.

## Why is this bad?
Without the blocks the mask of answers is all zeros, and nothing is trained, or all ones, and the prompts are.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```jinja
{% for m in messages %}{{ m['content'] }}{% endfor %}
```
```yaml
train: {loss_mask: {prompt: masked}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```jinja
{% for m in messages %}{% if m['role'] == 'assistant' %}{% generation %}{{ m['content'] }}{% endgeneration %}{% endif %}{% endfor %}
```
```yaml
train: {loss_mask: {prompt: masked}}
```

## Source
axolotl-ai-cloud/axolotl#2089; MervinPraison/PraisonAI#4358; huggingface/trl#4201; NVIDIA-NeMo/Megatron-Bridge#3359.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.chat_template import marks_generation, template_of
from .._finding import Hit, Related
from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

BY_STRUCTURE = ("llama-factory", "ms-swift", "torchtune", "nemo", "litgpt", "neox", "torchtitan", "nanotron", "unsloth")
"""Frameworks that know where an answer begins without marks in the template."""


@rule("XF207", "assistant-mask-without-markers", "error", needs=("recipe", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """The section's wish against the template beside the config."""
    if context.recipe is not None:
        yield from said(context, "XF207")
        return
    train = context.train
    mask = train.loss_mask
    if mask is None or mask.prompt != "masked" or mask.template is not None or train.framework in BY_STRUCTURE:
        return
    template = template_of(context.folder)
    if template is None or marks_generation(template.text):
        return
    sure = train.framework == "trl"
    yield Hit(
        "prompts are to be masked and the chat template marks no answers"
        + (": every label is masked" if sure else ": their spans are guessed"),
        "/train/loss_mask/prompt",
        help="{% generation %} blocks around the answers, or loss_mask.template",
        severity="error" if sure else "warning",
        file="xfcheck.yaml",
        related=(Related("the chat template", template.pointer, template.file),),
    )
