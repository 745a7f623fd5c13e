"""Which family reads a config, and from which object of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ...problems import Refused
from .. import _native
from .._classes import class_table
from .._index import family
from .settings import Settings

if TYPE_CHECKING:
    from .._index import Family

NESTED = ("text_config", "llm_config", "language_config", "thinker_config")
"""Keys under which a composite config keeps its language model."""


def entry(data: dict[str, Any]) -> tuple[Settings, Family, str, str]:
    """(settings, family module, its name, model_type). Raises Refused XF101 where no family reads the config."""
    if _native.describes(data):
        return Settings(data, None), cast("Family", _native), "native", "native"
    model_type = data.get("model_type")
    module = family(model_type)
    if module is not None and isinstance(model_type, str):
        return Settings(data, class_table(model_type)), module, module.__name__.rpartition(".")[2], model_type  # type: ignore[attr-defined]
    for key in NESTED:
        inner = data.get(key)
        if isinstance(inner, dict) and (module := family(inner.get("model_type"))) is not None:
            settings = Settings(inner, class_table(inner["model_type"]), pointer=f"/{key}")
            settings.assume("model_type", inner["model_type"], f"the language model of a {model_type!r} config alone", estimated=True)
            return settings, module, module.__name__.rpartition(".")[2], str(inner["model_type"])  # type: ignore[attr-defined]
    raise Refused(f"no family reads model_type {model_type!r}", code="XF101", pointer="/model_type")
