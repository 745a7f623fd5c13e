"""Configs that keep their language model in an object of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._classes import class_table
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

OUTER = ("architectures", "quantization_config", "dtype", "torch_dtype", "id2label", "num_labels")
"""Keys of the whole config that hold for its language model; the inner object's own win but for the first."""


def language_model(c: Settings, model_type: str, key: str = "text_config") -> Settings:
    """The language model's settings: the object under `key`, read by the class of `model_type`.

    What the whole config says of head and dtype holds for it.

    The text class alone is built from them (its `architectures` are the language model's); a class with a tower is not one of those and
    is read as an estimate.
    """
    inner = c.mapping(key) or {}
    outer: Mapping[str, Any] = {name: c.data[name] for name in OUTER if name in c.data and (name == "architectures" or name not in inner)}
    return Settings({**inner, **outer}, class_table(model_type), pointer=c.at(key), reading=c.reading)
