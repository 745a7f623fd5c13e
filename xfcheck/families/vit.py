"""ViT (Dosovitskiy et al. 2020, arXiv 2010.11929) and DeiT (arXiv 2012.12877): the encoder of images with a head of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.model import Architecture
from ..architecture.vocabulary import Head
from ._read.decoder import dtype
from ._read.head import architecture_name, labels, named_kind
from ._rows.model import model
from ._towers import vit as tower

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("vit", "deit")

WHOLE = ("class", "teacher", "positions", "patches", "mask", "layer", "final_norm", "pooler")
"""Parts of the bare model."""

HEADS = {
    "classifier": "classifier",
    "first_classifier": "cls_classifier",
    "teacher_classifier": "distillation_classifier",
    "pixels": "decoder.0",
}


def architecture(c: Settings) -> Architecture:
    """The bare model has a pooler; a classifier reads the class vector, in DeiT another the teacher's; masked patches are drawn anew."""
    inner = tower.architecture(c)
    stack, kind = inner.stacks[0], named_kind(c) or "base"
    if named_kind(c) is None and architecture_name(c) is not None:
        c.assume("architectures", architecture_name(c), "no class of this type: counted as the bare model", estimated=True)
    beside = [p for p in stack.projections if p.name != "pooler" or kind == "base"]
    if kind == "masked_image_modeling":
        beside.append(Projection(name="mask", shape=[1, 1, stack.hidden_size], multiplies=False))
    return Architecture(
        embedding=None,
        stacks=[stack.model_copy(update={"stream": "encoder", "projections": beside, "component": None})],
        head=Head(kind="none" if kind == "base" else "other", stream="encoder"),
        projections=head(c, kind, stack.hidden_size),
        dtype=dtype(c),
        naming="vit" if c.table is None else c.table.model_type,
    )


def head(c: Settings, kind: str, hidden: int) -> list[Projection]:
    """What reads the encoder, as a rule once an image."""
    if kind == "masked_image_modeling":
        rows = c.int("encoder_stride") ** 2 * c.int("num_channels")
        return [Projection(name="pixels", shape=[rows, hidden, 1, 1], bias=True, component="head", stream="encoder")]
    if kind != "image_classification":
        return []
    named = architecture_name(c) or ""
    names = ["first_classifier", "teacher_classifier"] if named == "DeiTForImageClassificationWithTeacher" else ["classifier"]
    return [Projection(name=name, shape=[labels(c), hidden], bias=True, component="head", stream="pooled") for name in names]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint; a tower inside another model has the names of the bare one."""
    if a.naming is None:
        return tower.ledger(a)
    front = f"{a.naming}."
    names = tower.NAMES.but({"mask": "embeddings.mask_token!"})
    held, module = ({key: front + name if key in WHOLE else name for key, name in own.items()} for own in (names.checkpoint, names.module))
    return model(a, names._replace(checkpoint={**held, **HEADS}, module=module, base_prefix=front))
