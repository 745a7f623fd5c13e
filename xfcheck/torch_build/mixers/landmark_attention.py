"""Softmax attention through landmarks (Xiong et al. 2021, arXiv 2102.03902, section 3.3), with a convolution over the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from .attention import AttentionLayer

if TYPE_CHECKING:
    from ...architecture.mixers.landmark_attention import LandmarkAttention
    from ..marks import Site
    from ..passes import Pass


class LandmarkAttentionLayer(AttentionLayer):
    """Three small softmaxes, the middle one inverted by Newton's method; without landmarks the whole rectangle."""

    def __init__(self, spec: LandmarkAttention, site: Site) -> None:
        super().__init__(spec, site)
        self.convolution = self.tensor("convolution", (spec.query_heads, 1, spec.kernel, 1)) if spec.kernel else None

    def _mixed(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        spec: LandmarkAttention = self.spec  # type: ignore[assignment]
        if spec.uncounted:
            if not q.is_meta:
                raise NotImplementedError("attention in a kernel that torch does not see")
            return run.saw("heads", torch.zeros_like(v))
        out = super()._mixed(q, k, v, at, run) if spec.landmarks is None else run.saw("heads", self._through(q, k, v, run))
        if self.convolution is not None:
            out = out + F.conv2d(v, self.convolution, padding=(self.convolution.shape[2] // 2, 0), groups=v.shape[1])
        return out

    def _through(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, run: Pass) -> torch.Tensor:
        """`[B, H, n, d]` by L landmarks, means of consecutive queries and keys."""
        spec: LandmarkAttention = self.spec  # type: ignore[assignment]
        q = q * (spec.head_dim**-0.5 if spec.scale is None else spec.scale)
        few = [torch.stack([part.mean(2) for part in t.tensor_split(spec.landmarks or 1, dim=2)], dim=2) for t in (q, k)]
        reading = torch.softmax(run.saw("landmark_scores", torch.matmul(q, few[1].transpose(-1, -2))), dim=-1)
        middle = torch.softmax(torch.matmul(few[0], few[1].transpose(-1, -2)), dim=-1)
        writing = torch.softmax(torch.matmul(few[0], k.transpose(-1, -2)), dim=-1)
        inverse = middle.transpose(-1, -2) / (middle.sum(-1).amax() * middle.sum(-2).amax())
        eye = torch.eye(middle.shape[-1], dtype=q.dtype, device=q.device)
        for _ in range(spec.iterations):
            near = torch.matmul(middle, inverse)
            inverse = torch.matmul(0.25 * inverse, 13 * eye - torch.matmul(near, 15 * eye - torch.matmul(near, 7 * eye - near)))
        return torch.matmul(torch.matmul(reading, inverse), torch.matmul(writing, v))
