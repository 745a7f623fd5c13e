"""A loss that the mask gives away, or forbids.

## What it does
Warns where `train.loss` is masked on a model that sees only what came before, or causal on one that sees everything.

## Why is this bad?
A causal loss on a bidirectional model is solved by copying: the next token is visible. A masked loss on a causal model predicts
a gap from its left side alone.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
train: {loss: masked}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
train: {loss: causal}
```

## Source
Devlin et al. 2018, arXiv 1810.04805, section 3.1; Raffel et al. 2019, arXiv 1910.10683, section 3.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


CAUSAL = ("causal", "sliding", "chunked", "indexed")
OPEN = ("bidirectional", "local", "block_sparse")


@rule("XF214", "objective-against-mask", "warning", needs=("yaml:train",))
def check(context: Context) -> Iterator[Hit]:
    """The loss against the masks of the model's own attention."""
    loss, model = context.train.loss, context.model
    if loss is None or model is None or len({stack.stream for stack in model.architecture.stacks}) > 1:
        return
    kinds = {mask.kind for mixer in context.mixers if (mask := getattr(mixer, "mask", None)) is not None} - {"cross"}
    wrong = {"masked": kinds <= set(CAUSAL), "causal": kinds <= set(OPEN)}.get(loss, False)
    if kinds and wrong:
        sees = "what came before alone" if loss == "masked" else "the tokens it is to predict"
        other = "causal" if loss == "masked" else "masked"
        yield Hit(f"a {loss} loss, and the attention sees {sees}", "/train/loss", help=f'"{other}"', file="xfcheck.yaml")
