"""A model class of another model type.

## What it does
Reports an entry of `architectures` that transformers knows as the class of another model type, in every config object, one that is
nearly a class of this type, and a model type that is misspelt or missing beside a class that has one.

## Why is this bad?
`model_type` chooses the config class, `architectures` the model class for tools that read it first. Where they disagree two readers
build two models from one file; a text model's class under a multimodal config (or the reverse) finds its keys one level off.

## Example
```json
{"model_type": "llama", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
transformers 5.24.0, models/auto/modeling_auto.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...families._classes import architecture_owner
from .._facts import nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...families._classes import ClassTable
    from .._context import Context, Scope


NEAR = 0.93
"""How similar (difflib) a class's name must be to a known one to be taken for a misspelling: less is a class of somebody's own."""
OF_ENGINES = ("MPTForCausalLM", "PhiMoEForCausalLM", "Ernie4_5_ForCausalLM")
"""Spellings of current checkpoints that serving engines know beside those of transformers (vLLM, model_executor/models/registry.py)."""


@rule("XF119", "architecture-not-of-model-type", "warning", needs=("architectures",))
def check(context: Context) -> Iterator[Hit]:
    """The owner of each named class against the model type of its object."""
    for scope in context.nested:
        names = scope.data.get("architectures")
        if not isinstance(names, list):
            continue
        if not isinstance(scope.data.get("model_type"), str):
            yield from untyped(scope, names, own_code="auto_map" in context.data)
            continue
        if scope.table is None:
            yield from strange(scope, names, own_code="auto_map" in context.data)
            continue
        for index, name in enumerate(names):
            owner = architecture_owner(name) if isinstance(name, str) else None
            if owner is None and isinstance(name, str) and "auto_map" not in context.data:
                yield from misspelt(scope, name, f"{scope.pointer}/architectures/{index}")
            if owner is None or name in scope.table.architectures or owner.model_type == scope.table.model_type:
                continue
            kin = related(scope.table, owner.model_type)
            yield Hit(
                f"{name} is a class of {owner.model_type}, the file's model_type is {scope.data['model_type']}"
                + (f": {kin}" if kin else ""),
                f"{scope.pointer}/architectures/{index}",
                help=", ".join(sorted(scope.table.architectures)[:4]) or None,
            )


def strange(scope: Scope, names: list[Any], *, own_code: bool) -> Iterator[Hit]:
    """A model type that no reader knows beside a class of a known one, and no code of its own."""
    owner = next((found for name in names if isinstance(name, str) and (found := architecture_owner(name)) is not None), None)
    if owner is None or own_code:
        return
    from ...families._index import index

    if scope.data["model_type"] not in index():
        said = f"transformers knows no model_type {scope.data['model_type']!r}, and {names[0]} is a class of {owner.model_type}"
        fix = Fix(f"write {owner.model_type}", (Edit("set", f"{scope.pointer}/model_type", owner.model_type),), safe=False)
        yield Hit(said, f"{scope.pointer}/model_type", help=f'"{owner.model_type}"', fix=fix)


def untyped(scope: Scope, names: list[Any], *, own_code: bool) -> Iterator[Hit]:
    """A config whose model class is known though it has no model_type: the class of the config is found by that alone."""
    owner = next((found for name in names if isinstance(name, str) and (found := architecture_owner(name)) is not None), None)
    if owner is not None and not own_code and not scope.pointer and scope.data.get("model_type") is None:
        said = f"no model_type: transformers finds a config's class by it, and {names[0]} is a class of {owner.model_type}"
        fix = Fix(f"write {owner.model_type}", (Edit("set", "/model_type", owner.model_type),), safe=False)
        yield Hit(said, "", help=f'"model_type": "{owner.model_type}"', fix=fix)


def misspelt(scope: Scope, name: str, at: str) -> Iterator[Hit]:
    """A class that nobody has, nearly one of this model type."""
    own = sorted(() if scope.table is None or name in OF_ENGINES else scope.table.architectures)
    meant = next((known for known in own if known.lower() == name.lower()), None) or nearest(name, own, NEAR)
    if meant is not None and "".join(filter(str.isdigit, meant)) == "".join(filter(str.isdigit, name)):
        fix = Fix(f"write {meant}", (Edit("set", at, meant),), safe=False)
        yield Hit(f"transformers has no class {name[:60]}: engines that choose by it refuse the model", at, help=f'"{meant}"', fix=fix)


def related(table: ClassTable, other: str) -> str | None:
    """What the two types have to do with each other: one may be the text model of the other."""
    if other in table.sub_configs.values():
        return "a part of it alone, whose config is nested here"
    from ...families._classes import class_table

    whole = class_table(other)
    if whole is not None and table.model_type in whole.sub_configs.values():
        return "the whole of which this config is a part"
    return None
