"""Feed-forward networks and their activations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from ...architecture.mixers.mlp import MLP, TRAINED
from .. import norms
from ..marks import Linear, Site, Weighted

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..passes import Pass

ROOT = (2 / math.pi) ** 0.5
"""Of the tanh approximation of GELU (Hendrycks and Gimpel 2016, arXiv 1606.08415, section 2)."""
ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "silu": F.silu,
    "swish": F.silu,
    "relu": F.relu,
    "gelu": F.gelu,
    "relu2": lambda x: F.relu(x).square(),
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "gelu_new": lambda x: 0.5 * x * (1.0 + torch.tanh(ROOT * (x + 0.044715 * torch.pow(x, 3.0)))),
    "gelu_accurate": lambda x: 0.5 * x * (1.0 + torch.tanh(ROOT * (x + 0.044715 * torch.pow(x, 3)))),
    "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_fast": lambda x: 0.5 * x * (1.0 + torch.tanh(x * ROOT * (1.0 + 0.044715 * x * x))),
    "gelu_python": lambda x: x * 0.5 * (1.0 + torch.erf(x / 2**0.5)),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "mish": F.mish,
    "hardswish": F.hardswish,
    "relu6": F.relu6,
    "linear": lambda x: x,
}
"""Name -> function, composed where the reference's is: each step keeps a tensor. One that is not here costs no product and runs as SiLU."""


def activation(name: str) -> Callable[[torch.Tensor], torch.Tensor]:
    """The function of a name."""
    return ACTIVATIONS.get(name, F.silu)


class MLPLayer(Weighted):
    """`down(act(up(x)))`, or gated; `prefix` is that of its parts' names inside a mixture."""

    def __init__(self, spec: MLP, site: Site, prefix: str = "") -> None:
        super().__init__(site)
        self.spec = spec
        wide = site.hidden if spec.input_size is None else spec.input_size
        out = site.hidden if spec.output_size is None else spec.output_size
        inner = spec.intermediate_size
        if spec.gated and spec.packing == "gate_up":
            self.gate_up = Linear(site, f"{prefix}gate_up", 2 * inner, wide, bias=spec.bias)
        else:
            if spec.gated:
                self.gate = Linear(site, f"{prefix}gate", inner, wide, bias=spec.bias)
            self.up = Linear(site, f"{prefix}up", inner, wide, bias=spec.bias)
        self.down = Linear(site, f"{prefix}down", out, inner, bias=spec.output_bias)
        self.inner_norm = norms.maybe(site, f"{prefix}inner_norm", spec.inner_norm, inner)
        trained, saved = TRAINED.get(spec.activation, ((), ()))
        for name in trained:
            self.tensor(f"{prefix}activation_{name}", (1,))
        for name in saved:
            self.tensor(f"{prefix}activation_{name}", (), kind="buffer")

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[..., d] -> [..., d]."""
        act = activation(self.spec.activation)
        if not self.spec.gated:
            inner = act(run.saw("up", self.up(x)))
        else:
            gate, up = self.gate_up(x).chunk(2, dim=-1) if self.spec.packing == "gate_up" else (self.gate(x), self.up(x))
            inner = run.saw("product", act(run.saw("gate", gate)) * run.saw("up", up))
        return run.saw("down", self.down(norms.apply(self.inner_norm, inner)))
