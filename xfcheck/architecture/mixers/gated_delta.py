"""Gated delta rule (Yang et al. 2024, arXiv 2412.06464): linear attention that overwrites what its state predicts, under a decay."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class GatedDelta(Mixer):
    """Query and key of `key_heads * key_dim`, value and output gate of `value_heads * value_dim`; a learning rate and a decay a value head.

    A causal depthwise convolution of `kernel` taps without bias runs over query, key and value. `packing` says what the checkpoint holds in
    one matrix: `grouped` (query, key, value and gate in one; both scalars in another), `qkv` (query, key, value; the rest apart),
    `separate`, `all`. `split_convolution`: the checkpoint cuts the convolution in three. `gated_norm` normalises a head of the output.
    State a layer: `[value_heads, key_dim, value_dim]`, and `kernel` convolution columns, whatever the length.
    """

    component: ClassVar[str] = "linear_attention"
    kind: Literal["gated_delta"] = "gated_delta"
    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    kernel: int
    chunk: int = 64
    packing: Literal["grouped", "qkv", "separate", "all"] = "separate"
    split_convolution: bool = False
    gated_norm: Norm = Norm()
    activation: str = "silu"

    @property
    def keys(self) -> int:
        """Width of all keys."""
        return self.key_heads * self.key_dim

    @property
    def values(self) -> int:
        """Width of all values."""
        return self.value_heads * self.value_dim

    @property
    def conv_size(self) -> int:
        """Channels of the convolution: query, key and value."""
        return 2 * self.keys + self.values
