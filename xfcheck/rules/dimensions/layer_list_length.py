"""A list of layers that does not fit the depth.

## What it does
Reports `layer_types`, `mlp_layer_types`, `indexer_types` or `no_rope_layers` with a length other than the number of layers, and
entries that no reader knows. An empty or null list means the class's own pattern. A list that is longer by the draft (multi-token
prediction) layers is an info.

## Why is this bad?
The list says layer by layer what is built. A loader refuses a wrong length, or reads past the end; some lists are not checked at
all and the model gets another pattern.

## Example
```json
{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 8, "layer_types": ["full_attention"]}
```

## Use instead
```json
{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 8, "layer_types": ["full_attention", "full_attention"]}
```

## Source
huggingface/transformers#46220; huggingface/transformers#48764; transformers 5.24.0, configuration_utils.py, `validate_layer_type`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._facts import facts, nearest
from .._finding import Hit, Related
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


LISTS = ("layer_types", "mlp_layer_types", "indexer_types", "no_rope_layers")
INDEXERS = ("full", "shared")
OWN = {"deepseek_v4": ("hash_moe", "moe"), "dory": ("mlp",)}
"""Kinds that one class alone has beside those of all (transformers 5.24.0, models/deepseek_v4 and models/dory)."""
DRAFTS = ("num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers", "num_mtp_modules")


@rule("XF114", "layer-list-length", "error", needs=LISTS)
def check(context: Context) -> Iterator[Hit]:
    """Length and entries of each list of each config object."""
    for scope in context.nested:
        for key in LISTS:
            value = scope.data.get(key)
            if isinstance(value, list) and value:
                yield from length(scope, key, value)
                yield from entries(scope, key, value)


def length(scope: Scope, key: str, value: list[Any]) -> Iterator[Hit]:
    """One entry a layer."""
    depth = first(scope, "depth")
    if depth is None or depth[1] < 1 or len(value) == depth[1]:
        return
    counts = {scope.whole(name) for name in DRAFTS}
    related = (Related(f"{depth[0]} {depth[1]}", scope.at(depth[0])),)
    if len(value) > depth[1] and len(value) - depth[1] in counts:
        yield Hit(
            f"{key} has {len(value)} entries: {depth[1]} layers and {len(value) - depth[1]} draft layers",
            scope.at(key),
            severity="info",
            related=related,
        )
    else:
        entry = "entry" if len(value) == 1 else "entries"
        yield Hit(
            f"{key} has {len(value)} {entry} for {depth[0]} {depth[1]}",
            scope.at(key),
            help=f"one entry a layer: {depth[1]}",
            related=related,
        )


def entries(scope: Scope, key: str, value: list[Any]) -> Iterator[Hit]:
    """Each entry is known, the first unknown one is named."""
    known = knows(key)
    own = OWN.get(scope.model_type, ())
    if known is not None:
        for index, entry in enumerate(value):
            if not isinstance(entry, str) or entry not in (*known, *own):
                near = nearest(entry, sorted(known)) if isinstance(entry, str) else None
                yield Hit(
                    f"{key} holds {entry!r}, which is no kind of layer",
                    f"{scope.at(key)}/{index}",
                    help=f'did you mean "{near}"?' if near else f"one of {', '.join(sorted(known))}",
                )
                return
    if key == "indexer_types" and value[0] == "shared":
        yield Hit("the first layer has no earlier indexer to share", f"{scope.at(key)}/0", help='"full" first')


def knows(key: str) -> frozenset[str] | None:
    """The entries that a list may hold, null where it holds no names."""
    if key == "layer_types":
        return frozenset((*facts()["attention_layer_types"], *facts()["mlp_layer_types"], *facts()["older_layer_types"]))
    if key == "mlp_layer_types":
        return frozenset(facts()["mlp_layer_types"])
    return frozenset(INDEXERS) if key == "indexer_types" else None
