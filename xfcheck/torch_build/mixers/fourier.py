"""A Fourier transform over tokens and channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..marks import Site, Weighted

if TYPE_CHECKING:
    from ...architecture.mixers.fourier import Fourier
    from ..passes import Pass


class FourierLayer(Weighted):
    """The real part of the two-dimensional transform; no weights."""

    def __init__(self, spec: Fourier, site: Site) -> None:
        super().__init__(site)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d], in 32 bits inside (or the pass's, if wider)."""
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return run.saw("output", torch.fft.fft2(wide, dim=(-2, -1)).real.to(x.dtype))
