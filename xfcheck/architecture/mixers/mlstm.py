"""The matrix memory of xLSTM (Beck et al. 2024, arXiv 2405.04517; the 7B model: arXiv 2503.13427)."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class MLstm(Mixer):
    """Query and key of `heads * key_dim`, value and output gate of `heads * value_dim`, an input and a forget gate a head.

    `packing`: the four wide ones in one matrix and both gates in another (`fused`), or each apart. `bias` is of the wide ones and of the
    output; the gates a head always have one. `head_norm` normalises each head of the output. `chunk` tokens are computed together; the
    tokens that fill no chunk one after the other. A longer prefill is cut into pieces of `longest` tokens. State a layer, whatever the
    length: `[heads, key_dim, value_dim]`, `[heads, key_dim]` and one number a head.
    """

    component: ClassVar[str] = "linear_attention"
    kind: Literal["mlstm"] = "mlstm"
    heads: int
    key_dim: int
    value_dim: int
    keys: int
    values: int
    chunk: int = 64
    longest: int | None = None
    packing: Literal["separate", "fused"] = "separate"
    bias: bool = False
    head_norm: Norm = Norm(kind="layer")
