"""Names of towers for sound and of what leads from them to a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.vocabulary import Head
from .bart_names import BART
from .members import member_rows
from .model import model
from .names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...architecture.model import Architecture
    from ...ledger import Row

WHISPER = {
    **{key: name for key, name in BART.checkpoint.items() if key.partition(".")[0] in ("attention", "feed_forward", "mlp")},
    "layer": "audio_tower.layers.{layer}.",
    "positions": "audio_tower.embed_positions",
    "final_norm": "audio_tower.layer_norm",
    "conv1": "audio_tower.conv1",
    "conv2": "audio_tower.conv2",
    "linear": "multi_modal_projector.linear",
    "linear_1": "multi_modal_projector.linear_1",
    "linear_2": "multi_modal_projector.linear_2",
    "norm": "multi_modal_projector.norm",
}
"""Whisper's encoder under `audio_tower`, a projector of up to two maps and a norm."""

WHOLE = ("audio_tower", "multi_modal_projector")


def audio_rows(a: Architecture, parts: Mapping[str, str] = WHISPER, whole_names: tuple[str, ...] = WHOLE) -> list[Row]:
    """The language model's rows by its own family, and those of tower and projector, which modules hold under `model`.

    Names of `parts` that begin with one of `whole_names` are whole; the others follow the prefix of a layer.
    """
    whole = {key: f"model.{name}" for key, name in parts.items() if name.partition(".")[0] in whole_names}
    names = Names(parts, whole, base_prefix="") if a.naming == "split" else Names({**parts, **whole}, base_prefix="")
    tower = a.model_copy(
        update={
            "embedding": None,
            "head": Head(kind="none", stream="audio"),
            "stacks": [s for s in a.stacks if s.stream == "audio"],
            "members": [],
        }
    )
    return [*member_rows(a), *model(tower, names)]
