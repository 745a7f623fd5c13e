"""Zamba's way: state-space layers, and a few transformer blocks that many layers apply before theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LayerSet
from ...architecture.masks import CAUSAL
from ...architecture.mixers.attention import Attention
from .decoder import kv_heads, quotient
from .hybrid import LINEAR

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...architecture.norm import Norm
    from ...architecture.part import Mixer, Part
    from .settings import Settings

HYBRID = "hybrid"


def wide_attention(c: Settings, hidden: int, position: Part | None) -> Attention:
    """Attention over the layer's input beside the embedding, `attention_hidden_size` wide; it writes the residual stream's width."""
    heads = c.int("num_attention_heads")
    given = c.optional_int("attention_head_dim", minimum=1)
    width = quotient(c, 2 * hidden, heads) if given is None else given
    return Attention(
        query_heads=heads,
        kv_heads=kv_heads(c, heads),
        head_dim=width,
        input_size=c.optional_int("attention_hidden_size", minimum=1) or 2 * hidden,
        scale=(width / 2) ** -0.5,
        position=position,
        mask=CAUSAL,
        dropout=c.number("attention_dropout") or 0.0,
    )


def stack(
    kinds: dict[str, LayerSet],
    hidden: int,
    norm: Norm,
    *,
    state_space: Mixer,
    block: tuple[Attention, Mixer],
    groups: int,
    shared: bool,
    adapters: Callable[[LayerSet, tuple[int, int] | None], tuple[list[Projection], list[Projection]]],
) -> Stack:
    """State-space layers and hybrid ones.

    The k-th hybrid layer applies block k modulo `groups`, then a linear map of its own, and adds both to what its state-space layer reads.
    `block` is the attention and the feed-forward network of a block. `shared`: the layers of a group hold one set of weights; else each has
    its own. `adapters` gives the low-rank maps of a group's uses (by attention and by feed-forward network), which are numbered over all
    hybrid layers.
    """
    heads, forward = block
    blocks = [
        Block(name="state_space", layers=held, sublayers=[Sublayer(name=LINEAR, mixers=[state_space], norm=norm)])
        for kind, held in kinds.items()
        if kind == LINEAR
    ]
    hybrid = list(kinds.get(HYBRID, LayerSet(())))
    own = state_space.model_copy(update={"name": HYBRID})
    after = [Projection(name="linear", shape=[hidden, hidden])]
    for group in range(min(groups, len(hybrid))):
        uses = LayerSet.spaced(group, len(hybrid), groups)
        layers = [LayerSet.of(hybrid[i] for i in uses)] if shared else [LayerSet.of([hybrid[i]]) for i in uses]
        attending, feeding = adapters(uses, None if shared else (1, len(uses)))
        for held in layers:
            sublayers = [
                Sublayer(
                    name="attention",
                    mixers=[heads],
                    norm=norm.model_copy(update={"size": heads.input_size}),
                    projections=attending,
                    residual=False,
                    shared=shared,
                ),
                Sublayer(name="feed_forward", mixers=[forward], norm=norm, projections=feeding, residual=False, shared=shared),
                Sublayer(name=HYBRID, mixers=[own], norm=norm),
            ]
            blocks.append(Block(name=f"hybrid_{held.ranges[0].start}", layers=held, sublayers=sublayers, projections=after))
    return Stack(hidden_size=hidden, blocks=blocks, final_norm=norm)
