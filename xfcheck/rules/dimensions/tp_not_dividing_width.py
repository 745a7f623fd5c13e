"""A width that tensor parallelism does not divide.

## What it does
Reports a feed-forward width, the width of an expert, or a vocabulary (padded by the engine's own rule) that
`deploy.tensor_parallel` does not divide. A warning where no engine is named.

## Why is this bad?
Feed-forward columns and vocabulary rows are split evenly among the ranks. vLLM and SGLang pad the vocabulary to a multiple of 64,
Megatron-LM to a multiple of 128 x tp; nobody pads the feed-forward width.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 130, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 4, engine: vllm}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 4, engine: vllm}
```

## Source
Shoeybi et al. 2019, arXiv 1909.08053, section 3; QwenLM/Qwen3#698.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import read
from .._registry import rule
from ._sizes import Size, feed_forward

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


PADS = {"vllm": 64, "vllm-ascend": 64, "sglang": 64}
"""Engine -> the multiple that its vocabulary is padded to; Megatron-LM pads to one of 128 * tp, which always divides."""


@rule("XF108", "tp-not-dividing-width", "error", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """Widths % tp and padded vocabulary % tp."""
    tp, engine = context.deploy.tensor_parallel, context.deploy.engine
    if tp is None:
        return
    for size in (*feed_forward(context), *vocabularies(context, engine)):
        if size.value % tp:
            yield Hit(
                f"{size.label} {size.value} is not divisible by tensor_parallel {tp} (remainder {size.value % tp})",
                "/deploy/tensor_parallel",
                help=f"{size.label} {-(-size.value // tp) * tp}, or another tensor_parallel",
                severity=None if engine is not None else "warning",
                file="xfcheck.yaml",
                related=(Related(f"{size.label} {size.value}", size.at),),
            )


def vocabularies(context: Context, engine: str | None) -> Iterator[Size]:
    """The vocabulary as the engine pads it; nothing where it always divides."""
    if engine == "megatron":
        return
    pad = PADS.get(engine or "", 1)
    for scope in context.scopes:
        for key, rows in read(scope, "vocabulary"):
            if rows > 0:
                yield Size("vocabulary" if pad == 1 else f"vocabulary padded to a multiple of {pad}", -(-rows // pad) * pad, scope.at(key))
