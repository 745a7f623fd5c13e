"""Reading of models inside a model: each by the family of its own type."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from ...problems import Refused
from .._classes import class_table
from .._index import family
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...architecture.blocks import Stack
    from ...architecture.model import Architecture, Member
    from ...architecture.part import Mixer


def inner(
    c: Settings,
    key: str,
    default: str,
    head: str,
    *,
    preset: bool = False,
    needed: bool = True,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Settings, str]:
    """The settings under `key` with their model type, as the class of head kind `head` (the class tables' word) reads them.

    The inner object's own `architectures` are not asked: the whole decides which class its members are. What the whole presets for a
    member holds where the file has no such object, and with `preset` behind one too. Raises Refused XF101 where no family reads the type,
    or where it has no such class and one is `needed` (else the family's own default is meant). `renamed`: types that the whole takes for
    others.
    """
    own = c.mapping(key)
    data = own or {}
    presets = {} if c.table is None else c.table.sub_defaults.get(key, {})
    model_type = data.get("model_type", default)
    model_type = renamed.get(model_type, model_type) if isinstance(model_type, str) else model_type
    table = class_table(model_type)
    where = f"{c.at(key)}/model_type"
    if table is None or family(model_type) is None:
        raise Refused(f"no family reads model_type {model_type!r}", code="XF101", pointer=where)
    named = next((name for name, kind in table.architectures.items() if kind == head), None)
    if named is None and needed:
        raise Refused(f"{model_type} has no class of the kind {head!r}", code="XF101", pointer=where)
    given = {**presets, **data} if preset else presets if own is None else data
    architectures = None if named is None else [named]
    return Settings({**given, "architectures": architectures}, table, pointer=c.at(key), reading=c.reading), str(model_type)


def read(settings: Settings, model_type: str) -> Architecture:
    """The member's architecture by its family."""
    module = family(model_type)
    if module is None:
        raise Refused(f"no family reads model_type {model_type!r}", code="XF101", pointer=settings.pointer)
    return module.architecture(settings)


def streamed(member: Member) -> list[Stack]:
    """The member's stacks as the whole's: with its streams' names there."""
    return [stack.model_copy(update={"stream": member.streams.get(stack.stream, stack.stream)}) for stack in member.architecture.stacks]


def attending(a: Architecture) -> Architecture:
    """The decoder with its cross attention filled by an encoder."""
    return a.model_copy(update={"stacks": [_filled(stack) for stack in a.stacks]})


def _filled(stack: Stack) -> Stack:
    blocks = [
        block.model_copy(
            update={"sublayers": [s.model_copy(update={"mixers": [_reading(mixer) for mixer in s.mixers]}) for s in block.sublayers]}
        )
        for block in stack.blocks
    ]
    return stack.model_copy(update={"blocks": blocks})


def _reading(mixer: Mixer) -> Mixer:
    return mixer.model_copy(update={"memory": "encoder"}) if mixer.kind == "cross_attention" else mixer
