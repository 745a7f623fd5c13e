"""Attention beside a convolution whose kernels are made from the tokens (Jiang et al. 2020, arXiv 2008.02496, section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from ..marks import Linear
from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.mixed_convolution import MixedConvolution
    from ..marks import Site
    from ..passes import Pass


class MixedConvolutionLayer(AttentionLayer):
    """Half of the width is softmax attention, half the convolution; one output map reads both."""

    def _maps(self, site: Site, over: Site, widths: tuple[int, int, int]) -> None:
        spec: MixedConvolution = self.spec  # type: ignore[assignment]
        wide, _, out = widths
        half = spec.query_heads * spec.head_dim
        site = self.site = site.over("absent") if spec.absent else site
        self.query, self.key, self.value = (Linear(site, part, half, wide, bias=True) for part in ("query", "key", "value"))
        self.depthwise = self.tensor("depthwise", (wide, 1, spec.kernel))
        self.pointwise = self.tensor("pointwise", (half, wide, 1), multiplies=True)
        self.pointwise_bias = self.tensor("pointwise_bias", (half, 1))
        self.kernels = Linear(site, "kernels", spec.query_heads * spec.kernel, half, bias=True)
        self.convolved = Linear(site, "convolved", half, wide, bias=True)
        self.output = self.joined = Linear(site, "output", out, wide, bias=True)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        spec: MixedConvolution = self.spec  # type: ignore[assignment]
        if spec.absent:
            return torch.zeros_like(x)
        query = self.query(x)
        at = torch.arange(x.shape[1], device=x.device)
        q, k, v = (self._heads(part, spec.query_heads) for part in (query, self.key(x), self.value(x)))
        q, k, v = run.saw("query", q), run.saw("key", k), run.saw("value", v)
        out = run.saw("concat", self._mixed(q, k, v, (at, at), run).transpose(1, 2).flatten(2))
        return run.saw("output", self.joined(torch.cat([out, self._beside(x, query)], dim=-1)))

    def _beside(self, x: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
        """`[B, n, H d_h]`: each token's own taps over its neighbours, one kernel a head."""
        spec: MixedConvolution = self.spec  # type: ignore[assignment]
        reach = spec.kernel // 2
        separable = F.conv1d(F.conv1d(x.transpose(1, 2), self.depthwise, padding=reach, groups=x.shape[-1]), self.pointwise)
        made = self.kernels((separable + self.pointwise_bias).transpose(1, 2)[:, : x.shape[1]] * query)
        made = torch.softmax(made.unflatten(-1, (spec.query_heads, spec.kernel)), dim=-1)
        around = F.pad(self.convolved(x), (0, 0, reach, spec.kernel - 1 - reach)).unfold(1, spec.kernel, 1)
        return torch.matmul(around.unflatten(2, (spec.query_heads, -1)), made[..., None]).squeeze(-1).flatten(2)
