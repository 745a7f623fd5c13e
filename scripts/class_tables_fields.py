"""Facts of a config class: fields, JSON types, defaults, aliases, sub-configs and eaten keys.

Source: the classes of an installed transformers, asked by introspection; nothing is downloaded and no weights are made.
"""

from __future__ import annotations

import ast
import collections.abc
import dataclasses
import inspect
import math
import textwrap
import types
import typing
from typing import Any, Literal

from transformers import PreTrainedConfig
from transformers.generation.configuration_utils import GenerationConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

ORDER = ("int", "float", "str", "bool", "list", "dict", "null", "any")
SIMPLE = {int: "int", float: "float", str: "str", bool: "bool", type(None): "null", Any: "any", inspect.Parameter.empty: "any"}


def mapped_types() -> list[str]:
    """Model types of transformers' config mapping, sorted."""
    return sorted(CONFIG_MAPPING_NAMES)


def config_class(model_type: str) -> type:
    """Config class that transformers builds for a model type."""
    found: type = CONFIG_MAPPING[model_type]
    return found


def owner_of(cls: type) -> str:
    """Table name of a config class: its model type where the mapping gives that very class, else the class name."""
    own = str(getattr(cls, "model_type", ""))
    if CONFIG_MAPPING_NAMES.get(own) == cls.__name__:
        return own
    return next((key for key, name in CONFIG_MAPPING_NAMES.items() if name == cls.__name__), cls.__name__)


def own_fields(cls: type) -> dict[str, dataclasses.Field[Any]]:
    """Dataclass fields that a config class declares beyond PreTrainedConfig, in declaration order."""
    base = {field.name for field in dataclasses.fields(PreTrainedConfig)}
    return {field.name: field for field in dataclasses.fields(cls) if field.name not in base}


def json_types(annotation: Any) -> list[str]:
    """JSON types that an annotation admits, in a fixed order; a tuple is a list, a config or a TypedDict is a dict."""
    found = _names(annotation)
    return [name for name in ORDER if name in found]


def _names(annotation: Any) -> set[str]:
    if isinstance(annotation, typing.TypeVar | str):
        return {"any"}
    try:
        if annotation in SIMPLE:
            return {SIMPLE[annotation]}
    except TypeError:
        return {"any"}
    if annotation is None:
        return {"null"}
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return set().union(*(_names(argument) for argument in arguments))
    if origin is Literal:
        return {SIMPLE[type(value)] for value in arguments}
    if origin is typing.Annotated:
        return _names(arguments[0])
    return _container(origin or annotation)


def _container(kind: Any) -> set[str]:
    if not isinstance(kind, type):
        return {"any"}
    if issubclass(kind, dict | collections.abc.Mapping) or issubclass(kind, PreTrainedConfig):
        return {"dict"}
    if issubclass(kind, list | tuple | set | collections.abc.Sequence):
        return {"list"}
    if kind.__module__.split(".")[0] == "torch":
        return {"str"}
    return {"any"}


def json_value(value: Any) -> Any:
    """Default as JSON: special floats tagged, tuples as lists, a config as null, anything else as its string name."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"__float__": "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(json_value(item) for item in value)
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    return None if isinstance(value, PreTrainedConfig) else str(value)


def default_of(field: dataclasses.Field[Any]) -> Any:
    """Default of a dataclass field as JSON; null where the field has none."""
    if field.default is not dataclasses.MISSING:
        return json_value(field.default)
    if field.default_factory is not dataclasses.MISSING:
        return json_value(field.default_factory())
    return None


def annotations_of(cls: type) -> dict[str, Any]:
    """Annotations of a class and its bases with names resolved where its modules allow it."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        scope = dict(vars(inspect.getmodule(base) or typing))
        for name, annotation in inspect.get_annotations(base).items():
            found[name] = _resolved(annotation, scope)
    return found


def _resolved(annotation: Any, scope: dict[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {**scope, "torch": __import__("torch")})
    except (NameError, AttributeError, TypeError, SyntaxError):
        return "?"


def field_rows(cls: type, fields: dict[str, dataclasses.Field[Any]]) -> dict[str, list[Any]]:
    """Field name to [JSON types, default]."""
    hints = annotations_of(cls)
    return {name: [json_types(hints.get(name, "?")), default_of(field)] for name, field in sorted(fields.items())}


def sub_configs(cls: type) -> dict[str, tuple[type | None, str, dict[str, Any], bool]]:
    """Key of a sub-config to (class or None, table name, defaults it is made with, optional).

    Declared ones come from `sub_configs_defaults`; others (DBRX, MPT) from a field annotated with a config class.
    """
    found: dict[str, tuple[type | None, str, dict[str, Any], bool]] = {}
    for name, hint in annotations_of(cls).items():
        for part in typing.get_args(hint):
            if isinstance(part, type) and issubclass(part, PreTrainedConfig) and part is not PreTrainedConfig and name in own_fields(cls):
                found[name] = (part, owner_of(part), {}, True)
    for name, spec in getattr(cls, "sub_configs_defaults", {}).items():
        auto = spec.config_class.__name__ == "AutoConfig"
        part = None if auto else spec.config_class
        table = str(spec.model_type) if auto or part is None else owner_of(part)
        found[name] = (part, table, json_value(dict(spec.init_kwargs)), bool(spec.optional))
    return dict(sorted(found.items()))


def eaten_keys(cls: type) -> list[str]:
    """Undeclared keys that the class and its bases below PreTrainedConfig look up among the keyword arguments when initialised."""
    found: set[str] = set()
    for base in cls.__mro__:
        if base is PreTrainedConfig or not issubclass(base, PreTrainedConfig):
            continue
        for method in ("__post_init__", "convert_rope_params_to_dict"):
            if method in base.__dict__:
                found |= _kwargs_in(base.__dict__[method])
    return sorted(found)


def _kwargs_in(function: Any) -> set[str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found: set[str] = set()
    for node in ast.walk(tree):
        candidate: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("pop", "get", "setdefault"):
            candidate = node.args[0] if _is_kwargs(node.func.value) and node.args else None
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_kwargs(node.value):
            candidate = node.slice
        elif isinstance(node, ast.Compare) and _is_kwargs(node.comparators[0]):
            candidate = node.left
        if isinstance(candidate, ast.Constant) and isinstance(candidate.value, str):
            found.add(candidate.value)
    return found


def _is_kwargs(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "kwargs"


def base_facts() -> dict[str, Any]:
    """Fields of PreTrainedConfig, keys it takes from the keyword arguments, its properties, and generation keys it drops."""
    fields = {field.name: field for field in dataclasses.fields(PreTrainedConfig)}
    kwargs: set[str] = set()
    for function in (PreTrainedConfig.__post_init__, PreTrainedConfig.convert_rope_params_to_dict):
        kwargs |= _kwargs_in(function)
    properties = {name for name in dir(PreTrainedConfig) if not name.startswith("_") and isinstance(_static(name), property)}
    return {
        "fields": field_rows(PreTrainedConfig, fields),
        "generation": sorted(GenerationConfig._get_default_generation_params()),
        "kwargs": sorted(kwargs),
        "properties": sorted(properties),
    }


def _static(name: str) -> Any:
    return inspect.getattr_static(PreTrainedConfig, name)
