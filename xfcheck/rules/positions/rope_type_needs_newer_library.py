"""A rotary type that an asked-for version does not have.

## What it does
Reports a rotary type that is newer than a reader in `deploy.readers` or than `train.transformers`; warns where only the version
that the file says it was written by is older; an info where the model brings code of its own.

## Why is this bad?
Older versions know only `type` and `factor` and refuse the file, or read the block as plain positions.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3",
 "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}}
```
```yaml
deploy: {readers: ["transformers>=4.40"]}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3",
 "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}}
```
```yaml
deploy: {readers: ["transformers>=4.43"]}
```

## Source
StartHua/Comfyui_CXH_joy_caption#35; foundation-model-stack/foundation-model-stack#384; release notes of transformers 4.31
(linear, dynamic) and 4.43 (yarn, longrope, llama3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._rope import blocks
from ._versions import named, readers, written_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from ._versions import Version


SINCE: dict[str, Version] = {
    "linear": (4, 31),
    "dynamic": (4, 31),
    "yarn": (4, 43),
    "longrope": (4, 43),
    "llama3": (4, 43),
    "proportional": (5, 0),
}
"""The first release of transformers whose rotary code has the type."""
EARLIER: dict[tuple[str, str], Version] = {("phi3", "longrope"): (4, 40), ("phi3_v", "longrope"): (4, 40)}
"""Classes that had a type of their own earlier."""


@rule("XF306", "rope-type-needs-newer-library", "error", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """The type of each block against the versions that are to read it."""
    own = "auto_map" in context.data
    for block in blocks(context):
        since = EARLIER.get((block.scope.model_type, block.type)) or SINCE.get(block.type)
        if since is None:
            continue
        old = [(version, text, at) for version, text, at in readers(context) if version < since]
        written = written_by(context)
        said = f"{block.type} rope needs transformers >= {named(since)}"
        for _, text, at in old:
            yield Hit(
                f"{said}, {text} is to read the file",
                block.type_at,
                help=f"transformers>={named(since)}",
                severity="info" if own else None,
                related=(Related(text, at, "xfcheck.yaml"),),
            )
        if not old and written is not None and written < since:
            yield Hit(
                f"{said}, the file was written by {context.data.get('transformers_version')}",
                block.type_at,
                help=f'a transformers_version of at least "{named(since)}.0"',
                severity="info" if own else "warning",
                related=(Related("transformers_version", "/transformers_version"),),
            )
