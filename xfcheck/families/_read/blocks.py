"""Blocks of decoders whose layers differ: in their attention, in their feed-forward network, in both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...architecture.blocks import Block, Stack, Sublayer
from ...architecture.layers import LayerSet
from .layers import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...architecture.norm import Norm
    from ...architecture.part import Mixer
    from .settings import Settings

DENSE, SPARSE = "dense", "sparse"


def prenorm(heads: Mixer, forward: Mixer, norm: Norm) -> list[Sublayer]:
    """Attention and feed-forward network, each behind a norm of its own."""
    return [Sublayer(name="attention", mixers=[heads], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)]


def sandwiched(heads: Mixer, forward: Mixer, norm: Norm) -> list[Sublayer]:
    """The same with a second norm after each, before the sum."""
    return [
        Sublayer(name=s.name, mixers=s.mixers, norm=norm, norm_after=norm, projections=s.projections) for s in prenorm(heads, forward, norm)
    ]


def decoder_stack(hidden: int, parts: Mapping[tuple[Any, ...], LayerSet], sublayers: Callable[..., list[Sublayer]], norm: Norm) -> Stack:
    """A stack of one block for each kind of layer.

    `sublayers` is called with the values that make up the kind, and the block is named by them.
    """
    blocks = [
        Block(name="_".join(str(value) for value in kind if value is not None) or "decoder", layers=held, sublayers=sublayers(*kind))
        for kind, held in parts.items()
        if len(held)
    ]
    return Stack(hidden_size=hidden, blocks=blocks, final_norm=norm)


def dense_first(count: int, layers: int) -> dict[str, LayerSet]:
    """The first `count` layers dense, experts in the rest; no kind without layers."""
    first = min(max(count, 0), layers)
    held = {DENSE: LayerSet((range(first),)), SPARSE: LayerSet((range(first, layers),))}
    return {kind: of for kind, of in held.items() if len(of)} or {SPARSE: LayerSet(())}


def feeds(c: Settings, layers: int, default: dict[str, LayerSet], key: str = "mlp_layer_types") -> dict[str, LayerSet]:
    """Which layers have experts, by the file's list of `dense` and `sparse`, else `default`."""
    return listed(c, layers, key, (DENSE, SPARSE)) or default
