"""A gated short convolution: a few taps between two gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..marks import Linear, Site, Weighted
from .convolution import causal

if TYPE_CHECKING:
    import torch

    from ...architecture.mixers.short_convolution import ShortConvolution
    from ..passes import Pass


class ShortConvolutionLayer(Weighted):
    """`out(c * conv(b * x))`."""

    def __init__(self, spec: ShortConvolution, site: Site) -> None:
        super().__init__(site)
        self.into = Linear(site, "in", 3 * spec.channels, site.hidden, bias=spec.bias)
        self.conv = self.tensor("conv", (spec.channels, 1, spec.kernel))
        self.conv_bias = self.tensor("conv_bias", (spec.channels,)) if spec.bias else None
        self.out = Linear(site, "out", site.hidden, spec.channels, bias=spec.bias)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; K columns stay."""
        b, c, value = run.saw("in", self.into(x)).transpose(1, 2).chunk(3, dim=1)
        mixed = run.saw("conv", causal(b * value, self.conv, self.conv_bias, run.state, run.past))
        return run.saw("output", self.out((c * mixed).transpose(1, 2)))
