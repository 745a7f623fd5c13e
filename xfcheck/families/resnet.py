"""ResNet (He et al. 2015, arXiv 1512.03385): stages of residual convolutions, no attention anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Stack
from ..architecture.model import Architecture
from ..architecture.vocabulary import Head
from ._read.decoder import dtype
from ._read.head import architecture_name, labels, named_kind
from ._read.wave_encoder import running_norm, sized
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("resnet",)

LARGEST = 4096
"""Blocks of a stage; the deepest published has 36."""

ENDS = {"_mean": ".running_mean!", "_variance": ".running_var!", "_batches": ".num_batches_tracked!"}


def architecture(c: Settings) -> Architecture:
    """A stem, then stages; a block whose width or stride changes has a map beside it. How often a weight works is not known here.

    A picture's size is nowhere in the file: FLOPs are estimates.
    """
    kind = named_kind(c) or "base"
    if named_kind(c) is None and architecture_name(c) is not None:
        c.assume("architectures", architecture_name(c), "no class of resnet: counted as the bare model", estimated=True)
    depths, sizes, first = sized(c, "depths"), sized(c, "hidden_sizes"), c.int("embedding_size")
    if len(depths) < len(sizes):
        raise c.refuse("depths", f"depths has {len(depths)} entries for {len(sizes)} of hidden_sizes", code="XF114")
    if max(depths) > LARGEST:
        raise c.refuse("depths", f"a stage of {max(depths)} blocks, above {LARGEST}", code="XF118")
    weights = convolution("embedder.embedder", first, c.int("num_channels"), 7)
    for stage, (into, out) in enumerate(zip([first, *sizes], sizes, strict=False)):
        strided = stage > 0 or c.flag("downsample_in_first_stage")
        for number in range(depths[stage]):
            place = f"encoder.stages.{stage}.layers.{number}"
            weights += block(c, place, into if number == 0 else out, out, strided=strided and number == 0)
    head = []
    if kind == "image_classification":
        head = [Projection(name="classifier.1", shape=[labels(c), sizes[-1]], bias=True, component="head", stream="pooled")]
    return Architecture(
        embedding=None,
        stacks=[Stack(stream="encoder", hidden_size=sizes[-1], blocks=[], projections=weights)],
        head=Head(kind="none" if kind in ("base", "backbone") else "other", stream="encoder"),
        projections=head,
        dtype=dtype(c),
    )


def block(c: Settings, place: str, into: int, out: int, *, strided: bool) -> list[Projection]:
    """Three convolutions, the middle one of a quarter of the width, or two of the whole width (`layer_type`)."""
    beside = convolution(f"{place}.shortcut", out, into, 1) if into != out or strided else []
    if c.text("layer_type") == "bottleneck":
        narrow = out // 4
        sizes = [(narrow, into, 1), (narrow, narrow, 3), (out, narrow, 1)]
    else:
        sizes = [(out, into, 3), (out, out, 3)]
    return [*beside, *(p for n, size in enumerate(sizes) for p in convolution(f"{place}.layer.{n}", *size))]


def convolution(name: str, out: int, into: int, side: int) -> list[Projection]:
    """A square convolution without a bias, and a batch norm."""
    weight = Projection(name=f"{name}.convolution", shape=[out, into, side, side], component="convolution")
    return [weight, *running_norm(f"{name}.normalization", out)]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint: the names of the weights are those of their places."""
    names = {"classifier.1": "classifier.1"}
    for projection in a.stacks[0].projections:
        end = next((end for end in ENDS if projection.name.endswith(end)), "")
        names[projection.name] = f"resnet.{projection.name.removesuffix(end)}{ENDS.get(end, '')}"
    return model(a, Names(names, base_prefix="resnet."))
