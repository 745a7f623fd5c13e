"""Lightning attention (Qin et al. 2024, arXiv 2401.04658): linear attention under a fixed decay a head, in blocks."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class LightningAttention(Mixer):
    """Query, key and value of `heads * head_dim` from one matrix, a norm of the whole output, an output gate as wide.

    `block` tokens are computed together; the decays inside a block are buffers of the checkpoint: one slope a head, `[heads, block]` for
    queries and for keys, `[heads, block, block]` for pairs. State a layer: `[heads, head_dim, head_dim]`, whatever the length, in
    the dtype of the model.
    """

    component: ClassVar[str] = "linear_attention"
    kind: Literal["lightning_attention"] = "lightning_attention"
    heads: int
    head_dim: int
    block: int = 256
    norm: Norm = Norm()
    activation: str = "silu"

    @property
    def inner_size(self) -> int:
        """Width of all queries, of all keys and of all values."""
        return self.heads * self.head_dim
