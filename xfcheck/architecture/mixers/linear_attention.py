"""Linear attention in its recurrent form: a state in place of a cache (Katharopoulos et al. 2020, arXiv 2006.16236, and what followed)."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class LinearAttention(Mixer):
    """Query `[heads * key_dim, d]`, key `[kv_heads * key_dim, d]`, value `[kv_heads * value_dim, d]`, output `[d, heads * value_dim]`.

    `value_heads`: more heads of values than of keys, each with a gate and an output (null: as many as `kv_heads`). `kernel`: taps of a
    causal depthwise convolution over each of `convolved`, 0 for none. `gate`: an output gate as wide as the output. `gated_norm` normalises
    a head of the output (or all of it, by its `size`). `delta`: the state is read by the key before it is overwritten (delta rule, arXiv
    2406.06484). `slots`: the state is two, of keys by slots and of slots by values (arXiv 2409.07146). What else makes decays and rates
    stands beside it as projections. State a layer: `[heads, key_dim, value_dim]`, whatever the length.
    """

    component: ClassVar[str] = "linear_attention"
    kind: Literal["linear_attention"] = "linear_attention"
    heads: int
    kv_heads: int
    key_dim: int
    value_dim: int
    value_heads: int | None = None
    kernel: int = 0
    convolved: list[Literal["query", "key", "value"]] = ["query", "key", "value"]
    gate: bool = False
    gated_norm: Norm | None = None
    delta: bool = False
    slots: int | None = None

    @property
    def outputs(self) -> int:
        """Heads of the output, and of the state."""
        return self.heads if self.value_heads is None else self.value_heads

    @property
    def widths(self) -> dict[str, int]:
        """Rows of the query, key and value projections."""
        values = self.kv_heads if self.value_heads is None else self.value_heads
        return {"query": self.heads * self.key_dim, "key": self.kv_heads * self.key_dim, "value": values * self.value_dim}

    @property
    def state_elements(self) -> int:
        """Elements of the state of one layer."""
        return self.outputs * (self.key_dim * self.value_dim if self.slots is None else self.slots * (self.key_dim + self.value_dim))

    @property
    def conv_size(self) -> int:
        """Channels of the convolutions."""
        return sum(self.widths[part] for part in self.convolved)
