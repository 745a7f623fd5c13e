"""Griffin's recurrent block (De et al. 2024, arXiv 2402.19427, section 2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from ..marks import Linear, Site, Weighted
from .mamba import scan
from .mlp import activation

if TYPE_CHECKING:
    from ...architecture.mixers.rg_lru import RgLru
    from ..passes import Pass

C = 8.0
"""The constant c of a = sigmoid(decay) ** (c r)."""


class RgLruLayer(Weighted):
    """Two branches; one through a convolution and the unit, whose gates are blocks a head."""

    def __init__(self, spec: RgLru, site: Site) -> None:
        super().__init__(site)
        self.spec, width, block = spec, spec.width, spec.width // spec.heads
        self.gate = Linear(site, "gate", width, site.hidden, bias=True)
        self.into = Linear(site, "in", width, site.hidden, bias=True)
        self.ssm = ssm = Weighted(site.at("ssm"))
        self.conv, self.conv_bias = ssm.tensor("conv", (width, 1, spec.kernel)), ssm.tensor("conv_bias", (width,))
        self.decay = ssm.tensor("decay", (width,))
        self.gates = {
            part: (self.tensor(part, (spec.heads, block, block), multiplies=True), self.tensor(f"{part}_bias", (spec.heads, block)))
            for part in ("input_gate", "recurrent_gate")
        }
        self.out = Linear(site, "out", site.hidden, width, bias=True)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the state `[B, width]` stays in 32 bits (or the pass's, if wider)."""
        inner = run.saw("conv", self._convolved(run.saw("in", self.into(x)).transpose(1, 2), run)).transpose(1, 2)
        wide = torch.promote_types(x.dtype, torch.float32)
        given, kept = (torch.sigmoid(self._blocks(part, inner)).to(wide) for part in ("input_gate", "recurrent_gate"))
        decay = torch.exp(-C * kept * F.softplus(self.decay.to(wide)))
        states = scan(decay, (1 - decay.square()).sqrt() * given * inner.to(wide), run.state.get("recurrent") if run.past else None)
        run.state["recurrent"] = run.saw("state", states[:, -1])
        return run.saw("output", self.out(states.to(x.dtype) * activation(self.spec.activation)(self.gate(x))))

    def _blocks(self, part: str, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.gates[part]
        return (torch.matmul(x.unflatten(-1, (self.spec.heads, 1, -1)), weight).squeeze(-2) + bias).flatten(-2)

    def _convolved(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """`[B, width, n]`: a convolution padded on both sides in the first pass, a sum of products in a step; K - 1 columns stay."""
        kernel = self.spec.kernel
        if not run.past:
            run.state["conv"] = F.pad(x, (max(0, kernel - 1 - x.shape[-1]), 0))[
                ..., x.shape[-1] - (kernel - 1) if x.shape[-1] >= kernel else 0 :
            ]
            return F.conv1d(x, self.conv, self.conv_bias, padding=kernel - 1, groups=x.shape[1])[..., : x.shape[-1]]
        whole = torch.cat([run.state["conv"], x], dim=-1)
        run.state["conv"] = whole[..., whole.shape[-1] - (kernel - 1) :]
        return (whole.unfold(-1, kernel, 1) * self.conv).sum(-1) + self.conv_bias[:, None]
