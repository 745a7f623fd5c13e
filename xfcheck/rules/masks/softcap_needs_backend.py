"""Capped scores under a backend that cannot cap them.

## What it does
Warns where the model bounds its attention scores and `deploy.attention` or `train.attention` names a backend that computes the
softmax without looking at them, or `deploy.engine` an engine whose kernel does.

## Why is this bad?
The cap stands between the scores and the softmax, inside the fused kernel. A backend that has no such argument leaves it out:
logits drift, long prompts turn to noise.

## Example
```json
{"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "query_pre_attn_scalar": 16, "sliding_window": 16, "attn_logit_softcapping": 50.0,
 "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```
```yaml
deploy: {attention: sdpa}
```

## Use instead
```json
{"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "query_pre_attn_scalar": 16, "sliding_window": 16, "attn_logit_softcapping": 50.0,
 "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```
```yaml
deploy: {attention: eager}
```

## Source
Gemma team 2024, arXiv 2408.00118, section 2; sgl-project/sglang#33915; vllm-project/vllm-metal#665; linkedin/Liger-Kernel#398.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


WITHOUT = ("sdpa", "math", "efficient", "cudnn", "xformers")
"""Backends without an argument for it: flash from 2.6 on, flex and eager have one."""
UNCAPPED = ("vllm-metal",)
"""Engines of which older versions did not pass the cap to their own kernel."""
PASSED = ("flashinfer",)
"""Backends that cap where the engine passes the number on, which older ones did not."""


@rule("XF210", "softcap-needs-backend", "warning", needs=("yaml:deploy", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """The soft cap of any attention against the backends named."""
    caps = sorted({cap for mixer in context.mixers if (cap := getattr(mixer, "softcap", None))})
    scope = next((s for s in context.scopes if context.of_model(s)), None)
    if not caps or scope is None:
        return
    named = (("deploy/attention", context.deploy.attention), ("train/attention", context.train.attention))
    for place, name in (*named, ("deploy/engine", context.deploy.engine)):
        backend = name.lower() if name is not None else None
        if backend not in (UNCAPPED if place == "deploy/engine" else (*WITHOUT, *PASSED)):
            continue
        why = "only where the engine passes the cap on" if backend in (*PASSED, *UNCAPPED) else "it has no argument for a cap"
        yield Hit(
            f"attention scores are capped at {caps[0]:g}, {backend} leaves that out: {why}",
            f"/{place}",
            help="eager, flash from 2.6 on, or flex",
            file="xfcheck.yaml",
            related=(Related(f"cap {caps[0]:g}", scope.at("attn_logit_softcapping")),),
        )
