"""Gemma 4: the language model alone, and with towers that see and hear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.model import Member
from ._classes import class_table
from ._read.decoder import causal_model
from ._read.gemma4 import gemma4_stack
from ._read.head import architecture_name
from ._read.settings import Settings
from ._read.towers import maps, tower
from ._rows.gemma_names import GEMMA4
from ._rows.members import member_rows
from ._rows.model import bare, model, projection_rows
from ._rows.names import Names
from ._rows.place import Place

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text")

INNER = {"gemma4": "gemma4_text", "gemma4_unified": "gemma4_unified_text"}
TOWERS = {"vision_config": "image", "audio_config": "audio"}


def architecture(c: Settings) -> Architecture:
    """The language model, and the towers that the file has: those of the unified models are not counted, and the answer is an estimate."""
    t = text(c)
    stack = gemma4_stack(t)
    made = causal_model(
        t, stack, multiplier=stack.hidden_size**0.5, softcap=t.number("final_logit_softcapping"), tied=c.flag("tie_word_embeddings")
    )
    if t is c:
        return made
    made = made.model_copy(update={"head": made.head.model_copy(update={"prefix": "model.language_model"})})
    given = [key for key in TOWERS if isinstance(c.raw(key, noted=False), dict)]
    if c.table is not None and c.table.model_type == "gemma4":
        return with_towers(c, made, given)
    for key in given:
        c.assume(key, None, "towers are not counted", estimated=True)
    return made


def with_towers(c: Settings, made: Architecture, given: list[str]) -> Architecture:
    """The towers beside, each with one map to the language model's width."""
    front = "" if made.head.kind == "none" else "model."
    parts = {key: tower(c, key, TOWERS[key]) for key in given}
    members, projections = [], []
    for key, part in parts.items():
        name = key.removesuffix("_config")
        place = {"": f"{front}{name}_tower."}
        members.append(Member(model_type=part.model_type, checkpoint=place, architecture=part.architecture))
        out = part.settings.int("output_proj_dims") if name == "audio" else part.width
        projections += maps([(name, made.main.hidden_size, out)], bias=False, stream=TOWERS[key])
    stacks = [*made.stacks, *(stack for part in parts.values() for stack in part.architecture.stacks)]
    return made.model_copy(update={"members": members, "stacks": stacks, "projections": [*made.projections, *projections]})


def text(c: Settings) -> Settings:
    """The settings of the language model; the whole model's classes stand for the language model's of the same head."""
    own = "" if c.table is None else c.table.model_type
    if own not in INNER or c.table is None:
        return c
    table, named = class_table(INNER[own]), architecture_name(c)
    kind = c.table.architectures.get(named or "")
    wanted = {"conditional_generation": "causal", "base": "base"}.get(kind or "")
    inner = [name for name, head in (table.architectures if table is not None else {}).items() if head == wanted]
    outer = {key: c.data[key] for key in ("dtype", "torch_dtype", "quantization_config") if key in c.data}
    classes = {"architectures": inner[:1] or ([named] if named else None)}
    return Settings({**outer, **(c.mapping("text_config") or {}), **classes}, table, pointer=c.at("text_config"), reading=c.reading)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 4 checkpoint, those of a model with towers under `language_model`."""
    held = [stack for member in a.members for stack in member.architecture.stacks]
    maps = [projection for projection in a.projections if projection.component == "projector"]
    own = {
        "stacks": [stack for stack in a.stacks if stack not in held],
        "projections": [projection for projection in a.projections if projection not in maps],
    }
    bared = a.head.kind == "none" and a.head.prefix is not None
    rows = model(a.model_copy(update=own), GEMMA4)
    front = "" if bared else "model."
    names = Names({p.name: f"{front}embed_{p.name}.embedding_projection" for p in maps})
    at = Place(names, "text", "image", None, a.main.hidden_size)
    beside = [row for projection in maps for row in projection_rows(projection, at)]
    return [*(bare(rows, "", "language_model.") if bared else rows), *member_rows(a), *beside]
