"""Pieces of the decoders before Llama: plain feed-forward networks, one head count, layer norms with biases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Sublayer
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.mlp import MLP
from .decoder import quotient

if TYPE_CHECKING:
    from ...architecture.masks import Mask
    from ...architecture.norm import Norm
    from ...architecture.part import Mixer, Part
    from .decoder import Biased
    from .settings import Settings


def plain(inner: int, activation: str, *, bias: bool = True) -> MLP:
    """An ungated network, both matrices with a bias or both without."""
    return MLP(intermediate_size=inner, activation=activation, gated=False, bias=bias, output_bias=bias)


def multi_head(
    c: Settings,
    hidden: int,
    *,
    mask: Mask,
    position: Part | None = None,
    biases: list[Biased] | None = None,
    packed: bool = False,
    kept_tokens: int | None = None,
    scale: float | None = None,
) -> Attention:
    """As many key-value heads as query heads, each hidden / heads wide. Raises Refused XF102 where that is no whole number."""
    heads = c.int("num_attention_heads")
    return Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, hidden, heads),
        packing="qkv" if packed else "separate",
        biases=biases or [],
        mask=mask,
        position=position,
        kept_tokens=kept_tokens,
        scale=scale,
    )


def sequential(attention: Mixer, forward: Mixer, norm: Norm) -> list[Sublayer]:
    """A norm before attention, a norm before the feed-forward network."""
    return [Sublayer(name="attention", mixers=[attention], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)]


def after_sum(attention: Mixer, forward: Mixer, norm: Norm) -> list[Sublayer]:
    """Post-norm: each norm after its sum, as in the first Transformer."""
    return [
        Sublayer(name="attention", mixers=[attention], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm),
    ]


def parallel_normed(attention: Mixer, forward: Mixer, norm: Norm) -> list[Sublayer]:
    """Attention and feed-forward network side by side, each with a norm of its own."""
    return [Sublayer(name="attention", mixers=[attention, forward], mixer_norms={attention.slot: norm, forward.slot: norm})]
