"""Which family reads a config, and from which object of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ...problems import Refused
from .. import _native
from .._classes import architecture_owner, class_table, known_types
from .._index import family
from .foreign import read, sized, unread
from .settings import Settings

if TYPE_CHECKING:
    from .._index import Family

NESTED = ("text_config", "llm_config", "language_config", "thinker_config")
"""Keys under which a composite config keeps its language model."""

DRAFTS = ("LlamaForCausalLMEagle3", "Eagle3LlamaForCausalLM", "Eagle3LLamaforCausalLM", "DFlashDraftModel", "QwenDFlashDraftModel")
"""Classes of draft models that `families/_draft_heads.py` describes."""

PUBLISHED = {
    "JinaBertModel": "jina_bert",
    "JinaBertForMaskedLM": "jina_bert",
    "JinaBertForSequenceClassification": "jina_bert",
    "Grok1ForCausalLM": "grok-2",
}
"""Classes of published code whose files say another model's type (`bert`, `git`), and the type that is read instead."""

Entry = tuple[Settings, "Family", str, str]


def entry(data: dict[str, Any]) -> Entry:
    """(settings, family module, its name, model_type).

    A type that no family reads is read through the class that `architectures` names, through the language model that the config holds, or
    by its sizes alone (`families/_unknown.py`); the fidelity is then `estimated`. Raises Refused XF101 where the file gives no sizes, and
    for a type of transformers that no family reads: its class would decide what the sizes mean.
    """
    if _native.describes(data):
        return Settings(data, None), cast("Family", _native), "native", "native"
    model_type = published_type(data)
    module = family(model_type)
    if (draft := _draft(data)) is not None:
        return Settings(data, class_table(model_type)), draft, "draft_heads", str(model_type)
    if module is not None and isinstance(model_type, str):
        flat = _flat(data, model_type)
        if flat is not None:
            return flat
        return read(data, class_table(model_type)), module, _name(module), model_type
    for found in (_language(data, model_type), _by_class(data, model_type), _by_sizes(data, model_type)):
        if found is not None:
            return found
    raise Refused(
        f"no family reads model_type {model_type!r}", code="XF101", pointer="/model_type",
        help="hidden_size and num_hidden_layers, for an estimate by sizes alone" if not _known(model_type) else None,
    )  # fmt: skip


def published_type(data: dict[str, Any]) -> object:
    """The file's model type, or the one that its class belongs to where the file borrows another's."""
    named, given = data.get("architectures"), data.get("model_type")
    if not isinstance(named, list) or not named or not isinstance(named[0], str) or named[0] not in PUBLISHED:
        return given
    return given if isinstance(given, str) and given.startswith("grok") else PUBLISHED[named[0]]


def _draft(data: dict[str, Any]) -> Family | None:
    """The reader of draft models, where the file names one of their classes; most files do not, and it stays unread."""
    named = data.get("architectures")
    if not isinstance(named, list) or not named or named[0] not in DRAFTS:
        return None
    from .. import _draft_heads

    return cast("Family", _draft_heads) if _draft_heads.describes(data) else None


def _flat(data: dict[str, Any], model_type: str) -> Entry | None:
    """A composite type whose file has the language model's keys at the root, and names the language model's class."""
    table, named = class_table(model_type), data.get("architectures")
    if table is None or "text_config" not in table.sub_configs or any(isinstance(data.get(key), dict) for key in NESTED):
        return None
    named = named[0] if isinstance(named, list) and named else None
    owner = architecture_owner(named) if isinstance(named, str) else None
    module = None if owner is None or owner.model_type == model_type else family(owner.model_type)
    if owner is None or module is None or not sized(data):
        return None
    settings = Settings(data, class_table(owner.model_type))
    settings.assume(
        "model_type",
        model_type,
        f"the keys of a language model at the root, and its class {named}: read as {owner.model_type}",
        estimated=True,
    )
    return settings, module, _name(module), model_type


def _known(model_type: object) -> bool:
    """Whether transformers has the type."""
    return isinstance(model_type, str) and model_type in known_types()


def _name(module: Family) -> str:
    return str(module.__name__.rpartition(".")[2])  # type: ignore[attr-defined]


def _language(data: dict[str, Any], model_type: object) -> Entry | None:
    """The language model of a composite config, under its own class or by its sizes."""
    from .. import _unknown  # it knows every kind of mixer, and configs of known types need one or two

    for key in NESTED:
        inner = data.get(key)
        if not isinstance(inner, dict):
            continue
        module, own = family(inner.get("model_type")), inner.get("model_type")
        if module is None and (_known(model_type) or _known(own) or not _unknown.describes(inner)):
            continue
        settings = Settings(inner, class_table(own), pointer=f"/{key}")
        settings.assume("model_type", own, f"the language model of a {model_type!r} config alone", estimated=True)
        if module is None:
            return settings, cast("Family", _unknown), "unknown", "unknown" if own is None else str(own)
        unread(settings)
        return settings, module, _name(module), str(own)
    return None


def _by_class(data: dict[str, Any], model_type: object) -> Entry | None:
    """The type of transformers whose class the file names, where the type itself is unknown."""
    named = data.get("architectures")
    named = named[0] if isinstance(named, list) and named else None
    owner = architecture_owner(named) if isinstance(named, str) and not _known(model_type) else None
    module = None if owner is None else family(owner.model_type)
    table = None if owner is None else class_table(owner.model_type)
    if owner is None or module is None or table is None:
        return None
    from .. import _unknown

    settings = Settings(data, _unknown.stand_in(table, data))
    settings.assume("model_type", model_type, f"no type that is known: read as {owner.model_type}, whose class {named} is", estimated=True)
    unread(settings)
    return settings, module, _name(module), owner.model_type if model_type is None else str(model_type)


def _by_sizes(data: dict[str, Any], model_type: object) -> Entry | None:
    """Any other config that gives a width and a depth."""
    from .. import _unknown

    if _known(model_type) or not _unknown.describes(data):
        return None
    return Settings(data, None), cast("Family", _unknown), "unknown", "unknown" if model_type is None else str(model_type)
