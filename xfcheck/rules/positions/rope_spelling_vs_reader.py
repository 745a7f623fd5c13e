"""A rotary spelling that only some readers know.

## What it does
Warns where `rope_parameters` alone holds a base or a scaling that readers before transformers 5 take otherwise, and shows what
each of them sees. Nothing where `deploy.readers`, `train.transformers` or the file's own version says 5, or where the type is
younger than version 5. Any other single spelling is an info.

## Why is this bad?
transformers 4 reads `rope_theta` and `rope_scaling` and fills in its class default for what is not there, without a word. A
published model ran with a base that was wrong by a factor of fifty.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 500000.0, "rope_parameters": {"rope_type": "default",
 "rope_theta": 500000.0}}
```

## Source
Open-Athena/MarinFold#184; vllm-project/vllm#42624; deepspeedai/DeepSpeed#8345; sgl-project/sglang#14745;
sgl-project/sglang#26187; ROCm/aiter#4742; transformers 4.57.3 and 5.24.0, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.rope import BASES, rope4, rope5, rotary_class
from .._finding import Edit, Fix, Hit
from .._registry import rule
from ._rope import custom
from ._versions import readers, written_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...readers.rope import Rope
    from .._context import Context, Scope


SEEN = ("theta", "type", "factor", "partial_rotary_factor")
WORDS = {"theta": "base", "type": "type", "factor": "factor", "partial_rotary_factor": "rotated share"}


@rule("XF301", "rope-spelling-vs-reader", "warning", needs=("rope_scaling", "rope_parameters", *BASES))
def check(context: Context) -> Iterator[Hit]:
    """What transformers 4 and 5 see of each rotary config object."""
    for scope in context.nested:
        new = isinstance(scope.data.get("rope_parameters"), dict) and bool(scope.data["rope_parameters"])
        old = [key for key in ("rope_scaling", *BASES) if scope.data.get(key) is not None]
        if new and not scope.data.get("rope_scaling"):
            differing = differences(rope4(scope), rope5(scope))
            if differing and not (custom(context, scope) or only5(context)):
                yield Hit(
                    "transformers 4 does not read rope_parameters: " + "; ".join(differing),
                    scope.at("rope_parameters"),
                    help="rope_theta and rope_scaling beside it, equal, until such readers are gone",
                    fix=both(scope),
                    key=True,
                )
                continue
        if rotary_class(scope) and new != bool(old):
            name = "rope_parameters" if new else old[0]
            yield Hit(f"rotary positions in one spelling alone: {name}", scope.at(name), severity="info", key=True)


def only5(context: Context) -> bool:
    """Whether every reader that is named, or else the writer, is transformers 5 or later."""
    asked = [version for version, _, _ in readers(context)]
    written = written_by(context)
    return min(asked) >= (5, 0) if asked else written is not None and written >= (5, 0)


def differences(first: list[Rope], second: list[Rope]) -> list[str]:
    """What the two readers see otherwise, in words; none where the first has no such type."""
    out = []
    for rope in second if first else ():
        other = next((r for r in first if r.layers == rope.layers), first[0])
        for name, a, b in zip(SEEN, other.plain(*SEEN), rope.plain(*SEEN), strict=True):
            plain = (a, b) in ((None, 1), ("mrope", "default"), ("default", "mrope"))
            if a != b and not plain:
                of = f" of {rope.layers}" if rope.layers else ""
                out.append(f"{WORDS[name]}{of} {said(a)} there, {said(b)} in transformers 5")
    return out


def said(value: object) -> str:
    """A value in a message."""
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)[:60]


def both(scope: Scope) -> Fix | None:
    """The older keys with the same values, where the block is flat and the file has none of them."""
    block = scope.data["rope_parameters"]
    if any(isinstance(value, dict) for value in block.values()) or any(key in scope.data for key in ("rope_theta", "rope_scaling")):
        return None
    edits = [Edit("set", f"{scope.pointer}/rope_theta", block["rope_theta"])] if isinstance(block.get("rope_theta"), int | float) else []
    scaling = {key: value for key, value in block.items() if key not in ("rope_theta", "partial_rotary_factor")}
    if scaling.get("rope_type", "default") != "default":
        edits.append(Edit("set", f"{scope.pointer}/rope_scaling", scaling))
    return Fix("write the older keys beside it", tuple(edits), safe=False) if edits else None
