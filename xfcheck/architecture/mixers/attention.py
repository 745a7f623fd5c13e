"""Softmax attention with any number of key-value heads."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, SerializeAsAny

from ..masks import CAUSAL, Mask
from ..norm import Norm
from ..part import POSITIONS, Mixer, Part, dispatch

Position = Annotated[SerializeAsAny[Part], BeforeValidator(lambda value: dispatch(value, POSITIONS, "positions"))]
"""A position mechanism, given as an instance or as a mapping with its `kind`."""


class Attention(Mixer):
    """Multi-head attention: MHA where kv_heads equals query_heads, MQA where it is 1, GQA between (arXiv 2305.13245).

    Shapes: query `[query_heads * head_dim, d]`, key `[kv_heads * head_dim, d]`, value `[kv_heads * value_dim, d]`, output `[d, query_heads
    * value_dim]`. `packing`: which of them one tensor holds (`qkv`, `key_value`, `gate_qkv`; biases stay apart in the last). `biases`
    names the projections that have one. `query_norm` and `key_norm` apply before the positions. `gate`: an output gate from the query
    projection (`query`: twice as many rows), of its own (`elementwise`, `headwise`), or none. `sinks`: a trained logit a head. `scale`
    null is head_dim ** -0.5. `softcap` bounds the scores by c * tanh(s / c). `shares_cache`: keys and values come from an earlier layer:
    no projections, no cache. `value_is_key`: no value projection. `kept_tokens`: what the reference's cache keeps where that is not what
    the mask needs (an undeclared window truncates it; 0: everything, though the mask has a window). `cached`: whether keys and values are
    kept between passes (default: where the mask is causal). `passes`: how often scores and weighted values are computed (2 in differential
    attention, which splits the values). `value_input_size` and `query_input_size`: the width that values or queries are read from, where
    it is not that of the tokens (a map to a lower rank comes before). `cached_heads`: how many heads of keys and of values the reference
    keeps, where it repeats the key-value heads first.
    """

    component: ClassVar[str] = "attention"
    kind: Literal["attention"] = "attention"
    query_heads: int
    kv_heads: int
    head_dim: int
    value_dim: int | None = None
    packing: Literal["separate", "qkv", "key_value", "gate_qkv"] = "separate"
    biases: list[Literal["query", "key", "value", "output", "gate"]] = []
    query_norm: Norm | None = None
    key_norm: Norm | None = None
    value_norm: Norm | None = None
    output_norm: Norm | None = None
    gate: Literal["none", "query", "elementwise", "headwise"] = "none"
    sinks: bool = False
    scale: float | None = None
    softcap: float | None = None
    dropout: float = 0.0
    mask: Mask = CAUSAL
    position: Position | None = None
    shares_cache: bool = False
    value_is_key: bool = False
    kept_tokens: int | None = None
    cached: bool | None = None
    passes: int = 1
    output_matrix: bool = True
    value_input_size: int | None = None
    query_input_size: int | None = None
    cached_heads: int | None = None

    @property
    def values(self) -> int:
        """Width of a value head."""
        return self.head_dim if self.value_dim is None else self.value_dim
