"""What towers have in common: layers over patches, of one kind but for their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.masks import BIDIRECTIONAL
from ...architecture.mixers.attention import Attention
from ...architecture.model import Architecture
from ...architecture.vocabulary import Head
from .._read.decoder import quotient
from .._read.plain import sequential

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...architecture.blocks import Sublayer
    from ...architecture.norm import Norm
    from ...architecture.part import Mixer
    from ...ledger import Row
    from .._read.decoder import Biased
    from .._read.settings import Settings
    from .._rows.names import Names

VISION = {"component": "vision"}


def alone(stack: Stack) -> Architecture:
    """A tower as a model of its own: no words go in, none come out."""
    return Architecture(embedding=None, stacks=[stack], head=Head(kind="none", stream=stack.stream))


def heads(
    c: Settings,
    hidden: int,
    biases: Sequence[Biased] = (),
    *,
    packed: bool = False,
    norm: Norm | None = None,
    key: str = "num_attention_heads",
    kv: int | None = None,
    width: int | None = None,
) -> Attention:
    """Attention over everything in sight, with a norm on queries and keys or none. Windows, where a tower has some, hold no tensor.

    `width` of a head: by default the hidden size over the heads.
    """
    count = c.int(key)
    return Attention(
        query_heads=count,
        kv_heads=count if kv is None else kv,
        head_dim=quotient(c, hidden, count) if width is None else width,
        packing="qkv" if packed else "separate",
        biases=list(biases),
        query_norm=norm,
        key_norm=norm,
        mask=BIDIRECTIONAL,
    )


def column(c: Settings, own: Mixer, forward: Mixer, norm: Norm, *, key: str = "num_hidden_layers") -> list[Block]:
    """Pre-norm layers, all alike."""
    return repeated(c, sequential(own, forward, norm), key=key)


def repeated(c: Settings, steps: list[Sublayer], *, key: str = "num_hidden_layers") -> list[Block]:
    """Layers of these steps."""
    layers = LayerSet.first(c.int(key, minimum=0, maximum=LIMIT))
    return [Block(name="image", layers=layers, sublayers=steps)]


def patches(c: Settings, hidden: int, *, bias: bool, channels: str | None = "num_channels", frames: str | None = None) -> Projection:
    """The convolution that makes a vector of each patch.

    `channels` and `frames` are the keys of how many channels (null: always 3) and how many frames of a video it covers.
    """
    high, wide = pair(c, "patch_size")
    depth = [] if frames is None else [c.int(frames)]
    return Projection(name="patches", shape=[hidden, 3 if channels is None else c.int(channels), *depth, high, wide], bias=bias)


def pair(c: Settings, key: str) -> tuple[int, int]:
    """(height, width) of a size that is one number or two. Raises Refused XF113 for anything else."""
    value = c.raw(key)
    if not isinstance(value, list):
        side = c.int(key)
        return side, side
    if len(value) != 2 or not all(isinstance(side, int) and not isinstance(side, bool) and side > 0 for side in value):
        raise c.refuse(key, f"{key} must be a whole number, or two")
    return value[0], value[1]


def linear(name: str, out: int, into: int, *, bias: bool = True) -> Projection:
    """A map beside the layers."""
    return Projection(name=name, shape=[out, into], bias=bias)


def normed(name: str, width: int, *, bias: bool = True) -> Projection:
    """The weight of a norm beside the layers, and its bias."""
    return Projection(name=name, shape=[width], multiplies=False, bias=bias)


def vector(name: str, *shape: int) -> Projection:
    """A trained table or vector that is added or put beside."""
    return Projection(name=name, shape=list(shape), multiplies=False)


def rows(a: Architecture, names: Names) -> list[Row]:
    """The rows of a tower."""
    from .._rows.model import model

    return model(a, names)
