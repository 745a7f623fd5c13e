"""Attention of a token over its own earlier states: residuals that choose among blocks of layers (attention residuals)."""

from typing import ClassVar, Literal

from ..part import Mixer


class DepthAttention(Mixer):
    """`queries` trained vectors of `width`, the same for every token, over the `states` that the token had after earlier blocks of layers.

    The vectors themselves are projections of the stack. Nothing is kept between passes.
    """

    component: ClassVar[str] = "other"
    kind: Literal["depth_attention"] = "depth_attention"
    queries: int
    states: int
    width: int
