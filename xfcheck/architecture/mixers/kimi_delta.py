"""Kimi delta attention (arXiv 2510.26692): a gated delta rule whose decay is one a channel, not one a head."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class KimiDelta(Mixer):
    """Query, key and value of `heads * head_dim`, a forget gate and an output gate as wide, a learning rate a head.

    A causal depthwise convolution of `kernel` taps without bias runs over query, key and value; `split_convolution`: the checkpoint cuts it
    in three. `gate_rank`: both gates come through a narrow matrix of that rank (null: one matrix each). `decay_axes`: in how many axes
    the decay of the heads is stored (4: `[1, 1, heads, 1]`). State a layer: `[heads, head_dim, head_dim]`, and `kernel`
    convolution columns, whatever the length.
    """

    component: ClassVar[str] = "linear_attention"
    kind: Literal["kimi_delta"] = "kimi_delta"
    heads: int
    head_dim: int
    kernel: int
    chunk: int = 64
    gate_rank: int | None = None
    decay_axes: Literal[1, 4] = 1
    split_convolution: bool = True
    gated_norm: Norm = Norm()
    activation: str = "silu"

    @property
    def inner_size(self) -> int:
        """Width of all queries, of all keys and of all values."""
        return self.heads * self.head_dim
