"""A head width that an attention kernel does not take.

## What it does
Reports a head width above 256 or not a multiple of 8 where the attention backend of the deployment or the training is a flash
kernel, and other limits of the backend named. Without a backend an uneven width is an info, and one above 256 too where it is the
class's own.

## Why is this bad?
Kernels are compiled for a few head widths. Outside of them the library refuses the call, or falls back to a slow path that keeps
the whole score matrix.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 640, "num_hidden_layers": 2,
 "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 1280, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {attention: flash, engine: vllm}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "num_hidden_layers": 2,
 "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 512, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {attention: flash, engine: vllm}
```

## Source
Dao-AILab/flash-attention#277; Dao-AILab/flash-attention#1347; pytorch/pytorch#181528.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


LIMITS: dict[str, tuple[int, int]] = {
    "flash": (256, 8),
    "flash_attention_2": (256, 8),
    "flash_attention_3": (256, 8),
    "fa3": (256, 8),
    "cudnn": (256, 8),
}
"""Backend -> (widest head, the multiple a head must be). Those not named here take any head or fall back by themselves."""


@rule("XF110", "head-dim-kernel-limit", "warning", needs=("yaml:deploy", "yaml:train", "head_dim", "v_head_dim"))
def check(context: Context) -> Iterator[Hit]:
    """The head widths of the model's attentions against the backend's limits."""
    asked = [
        (f"{name}.attention", section.attention)
        for name, section in (("deploy", context.deploy), ("train", context.train))
        if section.attention
    ]
    for width in sorted({w for _, m in context.attentions for w in (m.head_dim, m.values)}):
        for place, backend in asked or [("", "flash")]:
            widest, multiple = LIMITS.get(backend, (None, 1))
            said = (
                f"above {widest}" if widest is not None and width > widest else f"no multiple of {multiple}" if width % multiple else None
            )
            if said is not None:
                chosen = widest is not None and width > widest and own(context, width)
                yield Hit(
                    f"head width {width} is {said}, which {backend} attention does not take",
                    at(context, width),
                    help="another attention backend (flex, sdpa, eager), or a head width that fits",
                    severity=None if place or chosen else "info",
                )


def own(context: Context, width: int) -> bool:
    """Whether the file itself chose that width of a head, not its class or a mechanism of the class (Gemma 4's wide layers)."""
    for scope in context.scopes:
        given, usual = scope.whole("head_dim", default=False), None if scope.table is None else scope.table.default("head_dim")
        heads, hidden = scope.whole("num_attention_heads"), scope.whole("hidden_size")
        if given == width != usual or (given is None and usual is None and heads and hidden and hidden == heads * width):
            return True
    return False


def at(context: Context, width: int) -> str:
    """Where the file says that width, else where the heads are."""
    for scope in context.scopes:
        for key in ("head_dim", "v_head_dim"):
            if scope.has(key) and scope.whole(key) == width:
                return scope.at(key)
    return context.scopes[0].at("num_attention_heads")
