"""An adapter that targets modules which the model does not have.

## What it does
Compares `target_modules`, `modules_to_save` and `layers_to_transform` of adapter_config.json with the modules of the config beside
it: an error where none of the targets exists, a warning for one that does not.

## Why is this bad?
PEFT refuses an adapter without any match and says nothing of a single name that matches nothing: fewer matrices are trained than the
list says.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json adapter_config.json
{"peft_type": "LORA", "r": 8, "lora_alpha": 16, "target_modules": ["c_attn", "c_proj"]}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json adapter_config.json
{"peft_type": "LORA", "r": 8, "lora_alpha": 16, "target_modules": ["q_proj", "v_proj"]}
```

## Source
PEFT, tuners/tuners_utils.py, `check_target_module_exists`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .._facts import nearest
from .._finding import Hit
from .._registry import rule
from ._modules import Modules, modules_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

FILE = "adapter_config.json"
HEADS = ("classifier", "score", "qa_outputs")
"""Heads that PEFT lists for a task whatever the model calls its own."""


@rule("XF911", "adapter-target-missing", "error", needs=(f"file:{FILE}",))
def check(context: Context) -> Iterator[Hit]:
    """Targets against module names: the end of a name in a list, a whole name for an expression."""
    data, modules = context.side(FILE), modules_of(context)
    if not isinstance(data, dict) or modules is None:
        return
    sure = context.model is not None and context.model.fidelity_by["parameters"] == "exact"
    targets = data.get("target_modules")
    if isinstance(targets, str) and targets != "all-linear":
        if not _any(targets, modules):
            yield Hit(
                f"target_modules {targets[:80]!r} matches no module of the model",
                "/target_modules",
                file=FILE,
                severity="error" if sure else "info",
            )
    elif isinstance(targets, list):
        yield from _listed(targets, modules, sure=sure)
    saved = data.get("modules_to_save")
    for at, name in enumerate(saved if isinstance(saved, list) else ()):
        if isinstance(name, str) and name not in HEADS and not modules.ends_with(name):
            near = nearest(name.rpartition(".")[2], sorted({sample.rpartition(".")[2] for sample in modules.samples}))
            yield Hit(
                f"no module of the model is called {name[:80]}: nothing is saved for it",
                f"/modules_to_save/{at}",
                help=f"did you mean {near}?" if near else None,
                file=FILE,
                severity="warning" if sure else "info",
            )
    layers, last = data.get("layers_to_transform"), modules.layers - 1
    for number in layers if isinstance(layers, list) else [layers]:
        if isinstance(number, int) and not isinstance(number, bool) and number > last >= 0:
            yield Hit(
                f"layers_to_transform names layer {number}, the last is {last}",
                "/layers_to_transform",
                file=FILE,
                severity="error" if sure else "info",
            )


def _listed(targets: list[Any], modules: Modules, *, sure: bool) -> Iterator[Hit]:
    names = [t for t in targets if isinstance(t, str)]
    unknown = [(i, t) for i, t in enumerate(targets) if isinstance(t, str) and not modules.ends_with(t)]
    known = sorted(modules.linear)
    if names and len(unknown) == len(names):
        said = f"no module of the model is called {', '.join(names[:6])}"
        yield Hit(said, "/target_modules", help=f"of this model: {', '.join(known[:12])}", file=FILE, severity="error" if sure else "info")
        return
    for at, name in unknown:
        near = nearest(name.rpartition(".")[2], known)
        told = f"did you mean {near}?" if near else f"of this model: {', '.join(known[:12])}"
        yield Hit(
            f"no module of the model is called {name[:80]}",
            f"/target_modules/{at}",
            help=told,
            file=FILE,
            severity="warning" if sure else "info",
        )


def _any(pattern: str, modules: Modules) -> bool:
    try:
        compiled = re.compile(pattern[:2000])
    except re.error:
        return False
    return any(compiled.fullmatch(name) for name in modules.samples)
