"""Decoders that are one column of layers: alike ones, and residual steps with other places of the norm than before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Stack, Sublayer
from ...architecture.masks import CAUSAL, Mask
from .blocks import decoder_stack, prenorm
from .decoder import attention
from .layers import depth
from .undeclared import cached

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...architecture.layers import LayerSet
    from ...architecture.norm import Norm
    from ...architecture.part import Mixer, Part
    from .decoder import Biased
    from .settings import Settings


def alike(c: Settings, hidden: int, make: Callable[[int | None], list[Sublayer]], norm: Norm | None) -> Stack:
    """The stack of a class whose layers are all alike.

    `make` gives the sublayers of a layer, given what the default cache keeps of it: a file may truncate the caches of some layers by keys
    that the class does not declare.
    """
    blocks = [
        Block(name="decoder" if kept is None else f"decoder_keeping_{kept}", layers=held, sublayers=make(kept))
        for kept, held in cached(c, depth(c)).items()
    ]
    return Stack(hidden_size=hidden, blocks=blocks, final_norm=norm)


def causal_stack(  # noqa: PLR0913 (every option is given by name)
    c: Settings,
    hidden: int,
    forward: Mixer,
    norm: Norm,
    *,
    width: int,
    position: Part | None,
    biases: list[Biased],
    head_norm: Norm | None = None,
    arrange: Callable[[Mixer, Mixer, Norm], list[Sublayer]] = prenorm,
) -> Stack:
    """`alike` layers of grouped-query attention over everything before and one feed-forward network, laid out by `arrange`.

    `head_norm`: on each query and key head.
    """

    def layer(kept: int | None) -> list[Sublayer]:
        heads = attention(
            c,
            hidden,
            mask=CAUSAL,
            position=position,
            biases=biases,
            width=width,
            query_norm=head_norm,
            key_norm=head_norm,
            kept_tokens=kept,
        )
        return arrange(heads, forward, norm)

    return alike(c, hidden, layer, norm)


def by_kind(hidden: int, kinds: dict[str, LayerSet], make: Callable[[str], list[Sublayer]], norm: Norm) -> Stack:
    """The stack of a class that declares `layer_types`, whose masks and caches agree: a block a kind."""
    return decoder_stack(hidden, {(kind,): held for kind, held in kinds.items()}, make, norm)


def post_norm(attention: Mixer, feed_forward: Mixer, norm: Norm) -> list[Sublayer]:
    """No norm before, one on what each step adds (OLMo 2, arXiv 2501.00656, section 2.1)."""
    return [
        Sublayer(name="attention", mixers=[attention], norm_after=norm),
        Sublayer(name="feed_forward", mixers=[feed_forward], norm_after=norm),
    ]


def parallel(attention: Mixer, feed_forward: Mixer, norm: Norm) -> list[Sublayer]:
    """One norm, from which attention and feed-forward network both read; their sum is added (GPT-J, PaLM: arXiv 2204.02311, section 2)."""
    return [Sublayer(name="attention", mixers=[attention, feed_forward], norm=norm)]


def scaled(sublayers: list[Sublayer], multiplier: float | None) -> list[Sublayer]:
    """The same steps, what they add multiplied (Granite's residual multiplier)."""
    return sublayers if multiplier in (None, 1.0) else [step.model_copy(update={"multiplier": multiplier}) for step in sublayers]


def window_mask(c: Settings, key: str = "sliding_window") -> Mask:
    """The mask of a class whose window, where it has one, is that of every layer."""
    window = c.optional_int(key)
    return CAUSAL if window is None else Mask(kind="sliding", window=window)
