"""Mistral Large 4 (Mistral AI): Pixtral's tower, squares of patches merged, two maps, its own language model; Mistral's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import Layout, Part, features, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mistral_large4",)

LAYOUT = Layout(
    {"model.embed_tokens": "tok_embeddings", "model.rotary_emb": "lerope", "model.": "", "lm_head": "output"},
    {"model.": "model.language_model."},
    "",
)
NAMES = {
    "norm": "pre_mm_projector_norm",
    "merger": "patch_merger.merging_layer",
    "linear_1": "vision_language_adapter.w_in",
    "linear_2": "vision_language_adapter.w_out",
}
MODULES = {
    "norm": "multi_modal_projector.norm",
    "merger": "multi_modal_projector.patch_merger.merging_layer",
    "linear_1": "multi_modal_projector.linear_1",
    "linear_2": "multi_modal_projector.linear_2",
}


def architecture(c: Settings) -> Architecture:
    """Patches are normed, merged by one map, and mapped twice; `multimodal_projector_bias` is of the last two."""
    text, seen = named(language(c), "inside"), named(tower(c), "mistral")
    wide, into = text.width, seen.width
    projector = [norm_of(into, bias=False), *maps([("merger", into, into * c.int("spatial_merge_size") ** 2)], bias=False)]
    projector += maps([("linear_1", wide, into * features(c)), ("linear_2", wide, wide)], bias=c.flag("multimodal_projector_bias"))
    return whole(c, LAYOUT, text, {"vision_encoder": seen}, projector, modules={"vision_encoder": "vision_tower"})


def named(part: Part, naming: str) -> Part:
    """The part under another set of its names."""
    return part._replace(architecture=part.architecture.model_copy(update={"naming": naming}))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, module=MODULES)
