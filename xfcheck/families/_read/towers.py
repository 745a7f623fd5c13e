"""Language models with towers: the language model by its own family, each tower by its module of `_towers`, what joins them beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...architecture.blocks import Projection, Stack
from ...architecture.model import Architecture, Member
from ...architecture.vocabulary import Head
from .._classes import class_table
from .._towers import tower as tower_module
from .decoder import dtype
from .head import architecture_name, head_kind
from .members import inner, read
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...architecture.vocabulary import HeadKind


class Layout(NamedTuple):
    """Under which names a whole holds its parts.

    `text` are the beginnings of the language model's own names in checkpoints -> what stands there; `module` the same in modules.
    `front` comes before the names of everything else in checkpoints, `module_front` in modules.
    """

    text: dict[str, str]
    module: dict[str, str]
    front: str
    module_front: str = "model."


JOINED = Layout({"model.": "model.language_model."}, {"model.": "model.language_model."}, "model.")
"""Checkpoints named as the modules are: everything under `model`, the head beside it."""

SPLIT = Layout({"": "language_model."}, JOINED.module, "")
"""Checkpoints that keep the language model as a whole, its head with it, and the towers beside it (LLaVA)."""

BESIDE = Layout({"": "language_model."}, {"": "language_model."}, "", "")
"""The same in modules: nothing is under `model` (Llama 4)."""

PLAIN = Layout({}, JOINED.module, "")
"""Checkpoints in which the language model has the names it has alone, and the towers stand beside it (Qwen2-VL)."""

TEXT_MODEL = Layout({"model.": "model.text_model."}, {"model.": "model.text_model."}, "model.")
"""As `JOINED`, and the language model is called `text_model` (Idefics)."""


OPEN = ("clip_vision_model", "siglip_vision_model", "siglip2_vision_model", "pixtral", "timm_wrapper", "radio", "vit")
"""Default classes of wholes that take another tower by its `model_type` (`AutoConfig` in transformers 5.24)."""


class Part(NamedTuple):
    """One model inside the whole, as it was read."""

    settings: Settings
    model_type: str
    architecture: Architecture

    @property
    def width(self) -> int:
        """Its hidden size."""
        return self.architecture.main.hidden_size


def language(
    c: Settings,
    key: str = "text_config",
    *,
    preset: bool = False,
    flat: bool = False,
    kind: HeadKind = "causal",
    renamed: Mapping[str, str] | None = None,
    ties: bool | None = None,
) -> Part:
    """The language model under `key`. The whole decides whether its head is its table, and the whole's head has no bias.

    A class of the whole without a head is counted with one, and noted as an estimate. `preset` as in `inner`. `flat`: where the file has no
    such object, the language model's keys stand at the root (files of transformers 4). `renamed`: types that the whole takes for others;
    where its class for the language model is one that stands nowhere else, it takes it whatever the object says. `ties` decides about the
    head in the place of the class table.
    """
    own = head_kind(c, "seq2seq")
    if own != "seq2seq":
        c.assume("architectures", c.raw("architectures", noted=False), "counted with the language model's head", estimated=True)
    default = "" if c.table is None else c.table.sub_configs.get(key, "")
    if flat and c.mapping(key) is None:
        settings, model_type = at_root(c, default), default
    else:
        settings, model_type = inner(c, key, default, kind, preset=preset, needed=False, renamed=renamed or _owned(c, key, default))
    a = read(settings, model_type)
    ties = tied(c, settings) if ties is None else ties
    if ties is not None:
        a = a.model_copy(update={"head": a.head.model_copy(update={"tied": ties, "bias": False})})
    return Part(settings, model_type, a)


def _owned(c: Settings, key: str, default: str) -> dict[str, str]:
    """What the file calls the language model -> its class, where that has no head of its own: files often name the whole's type there."""
    table, said = class_table(default), (c.mapping(key) or {}).get("model_type")
    return {} if table is None or not isinstance(said, str) or "causal" in table.architectures.values() else {said: default}


def at_root(c: Settings, model_type: str) -> Settings:
    """The keys of the whole that its language model's class knows, read by that class."""
    table = class_table(model_type)
    own = {key: value for key, value in c.data.items() if table is not None and table.accepts(key) and key != "architectures"}
    return Settings(own, table, pointer=c.pointer, reading=c.reading)


def tied(c: Settings, text: Settings) -> bool | None:
    """What the class table says that the whole's class obeys: its own key, or either of its and the language model's.

    Null where the class says nothing of ties: it holds the language model's own class, head and all.
    """
    if c.table is None:
        return c.flag("tie_word_embeddings")
    wholes = [name for name, kind in c.table.architectures.items() if kind == "conditional_generation"]
    named = architecture_name(c)
    how = c.table.models.get(named if named in wholes else next(iter(wholes), ""), {}).get("tie")
    if how is None:
        return None
    return c.flag("tie_word_embeddings") or (how == "either" and text.flag("tie_word_embeddings"))


def tower(c: Settings, key: str = "vision_config", stream: str = "image", over: Mapping[str, Any] | None = None) -> Part:
    """The tower under `key`: its class by its `model_type`, else the whole's default; without such an object, as the whole makes it.

    A whole with a class of its own for the tower takes that whatever the object says. One that is not described is left out, and noted as
    an estimate. `over`: what the whole puts in the place of the object's own values.
    """
    own = c.mapping(key)
    presets = {} if c.table is None else c.table.sub_defaults.get(key, {})
    given = presets if own is None else own
    default = "" if c.table is None else c.table.sub_configs.get(key, "")
    model_type = given.get("model_type") or default if default in OPEN else default
    module, table = tower_module(model_type), class_table(model_type)
    settings = Settings({**given, **(over or {})}, table, pointer=c.at(key), reading=c.reading)
    if module is not None:
        return Part(settings, str(model_type), module.architecture(settings))
    c.assume(f"{key}/model_type", model_type, "a tower that is not described here: left out, with what leads from it", estimated=True)
    empty = Stack(stream=stream, hidden_size=settings.optional_int("hidden_size", minimum=1) or 1, blocks=[])
    return Part(settings, "", Architecture(embedding=None, stacks=[empty], head=Head(kind="none", stream=stream)))


def whole(
    c: Settings,
    layout: Layout,
    text: Part,
    towers: Mapping[str, Part],
    projector: Sequence[Projection],
    *,
    more: Sequence[Stack] = (),
    modules: Mapping[str, str] | None = None,
) -> Architecture:
    """The language model with its towers, which work only where there is something to see or hear.

    `towers` maps the name under which the whole holds each to it, `modules` that of a checkpoint to that of the module where they differ;
    `more` are the whole's own stacks (a resampler), which the family names.
    """
    a = text.architecture
    known = {place: part for place, part in towers.items() if part.model_type}
    members = [Member(model_type=text.model_type, checkpoint=layout.text, module=layout.module, architecture=a)]
    members += [
        Member(
            model_type=part.model_type,
            checkpoint={"": f"{layout.front}{place}." if place else layout.front},
            module={"": f"{layout.module_front}{(modules or {}).get(place, place)}."},
            architecture=part.architecture,
        )
        for place, part in known.items()
    ]
    return Architecture(
        embedding=a.embedding,
        stacks=[*a.stacks, *(stack for part in known.values() for stack in part.architecture.stacks), *more],
        head=a.head,
        maximum_positions=a.maximum_positions,
        dtype=dtype(c) or a.dtype,
        projections=list(projector) if len(known) == len(towers) else [],
        quantization=c.mapping("quantization_config"),
        members=members,
    )


def maps(sizes: Sequence[tuple[str, int, int]], *, bias: bool = True, stream: str = "image") -> list[Projection]:
    """The projector's linear maps, (name, out, in) each."""
    return [Projection(name=name, shape=[out, into], bias=bias, stream=stream, component="projector") for name, out, into in sizes]


def norm_of(width: int, name: str = "norm", *, bias: bool = True) -> Projection:
    """A norm of the projector."""
    return Projection(name=name, shape=[width], multiplies=False, bias=bias, component="projector")


def vectors(name: str, *shape: int) -> Projection:
    """Trained vectors that stand between or beside those of the tower."""
    return Projection(name=name, shape=list(shape), multiplies=False, component="projector")


def features(c: Settings, key: str = "vision_feature_layer") -> int:
    """How many layers' outputs lie side by side in what the projector reads: one, or as many as the list has."""
    layers = c.raw(key)
    if isinstance(layers, list):
        return len(layers)
    if isinstance(layers, bool) or not isinstance(layers, int):
        raise c.refuse(key, f"{key} must be a whole number, or a list of them")
    return 1
