"""The position-wise feed-forward network: chapter question 4."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class MLP(Mixer):
    """`down(act(up(x)))`, or gated `down(act(gate(x)) * up(x))` (Shazeer 2020, arXiv 2002.05202).

    `intermediate_size` is d_ff. `packing`: gate and up stored as one matrix (`gate_up`) or apart. `bias` is of gate and up,
    `output_bias` of down. `inner_norm` normalises what goes into down. An activation may have trained scalars of its
    own (`TRAINED`).
    """

    component: ClassVar[str] = "mlp"
    kind: Literal["mlp"] = "mlp"
    intermediate_size: int
    activation: str = "silu"
    gated: bool = True
    bias: bool = False
    output_bias: bool = False
    packing: Literal["separate", "gate_up"] = "separate"
    inner_norm: Norm | None = None


TRAINED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "xielu": (("alpha_p", "alpha_n"), ("beta", "eps")),
    "prelu": (("weight",), ()),
}
"""Activations with tensors of their own -> (trained, shape `[1]`; saved buffers, scalars). xIELU: Huang 2024, arXiv 2411.13010."""
