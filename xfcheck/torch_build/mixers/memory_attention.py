"""Attention with a memory of hidden states and relative positions (Dai et al. 2019, arXiv 1901.02860, section 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .. import masks
from .. import positions as place
from ..marks import Site, Weighted

if TYPE_CHECKING:
    from ...architecture.mixers.memory_attention import MemoryAttention
    from ..passes import Pass


class MemoryAttentionLayer(Weighted):
    """Keys and values of remembered inputs and of the new ones; scores of content and of the distance. All tokens are of one segment."""

    def __init__(self, spec: MemoryAttention, site: Site) -> None:
        super().__init__(site)
        self.spec, shape = spec, (site.hidden, spec.query_heads, spec.head_dim)
        streams = {"query": site.stream, "key": "latent", "value": "latent", "output": site.stream, "position_key": "absent"}
        self.held = torch.nn.ModuleList(Weighted(site.over(stream)) for stream in streams.values())
        self.maps = {part: held.tensor(part, shape, multiplies=True) for part, held in zip(streams, self.held, strict=True)}
        biases = ("content_bias", "position_bias", "segment_bias")
        self.biases = {part: self.tensor(part, (spec.query_heads, spec.head_dim)) for part in biases}
        self.tensor("segments", (2, spec.query_heads, spec.head_dim))

    def _mapped(self, part: str, x: torch.Tensor) -> torch.Tensor:
        """`[B, H, n, d_h]`."""
        return torch.matmul(x, self.maps[part].flatten(1)).unflatten(-1, (self.spec.query_heads, -1)).transpose(1, 2)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the layer's own inputs stay, the last `memory` of them."""
        spec, new, causal = self.spec, x.shape[1], self.spec.mask.kind == "causal"
        whole = torch.cat([run.state["inputs"], x], dim=1) if run.past and "inputs" in run.state else x
        if spec.cached is not False:
            run.state["inputs"] = whole if spec.memory is None else whole[:, max(0, whole.shape[1] - spec.memory) :]
        past = whole.shape[1] - new
        q, k, v = run.saw("query", self._mapped("query", x)), self._mapped("key", whole), self._mapped("value", whole)
        distances = torch.arange(past + new, -1 if causal else -new, -1, device=x.device)
        table = place.sinusoid(distances, x.shape[-1], x.dtype).expand(x.shape[0], -1, -1)
        by_distance = torch.matmul(q + self.biases["position_bias"][:, None], self._mapped("position_key", table).transpose(-1, -2))
        at = torch.arange(past, past + new, device=x.device)
        keys_at = torch.arange(past + new, device=x.device)
        index = (past + new - (at[:, None] - keys_at)).clamp(max=len(distances) - 1)
        content = torch.matmul(q + self.biases["content_bias"][:, None], run.saw("key", k).transpose(-1, -2))
        scores = run.saw("scores", content + by_distance.gather(-1, index.expand(*by_distance.shape[:2], -1, -1))) * spec.head_dim**-0.5
        seen = masks.visible(spec.mask, at, keys_at)
        seen = seen if run.padding is None else seen & run.padding[:, None, None, -(past + new) :]
        weights = run.saw("weights", masks.softmax(scores, seen))
        out = run.saw("heads", torch.matmul(weights, run.saw("value", v))).transpose(1, 2).flatten(2)
        return run.saw("output", torch.matmul(run.saw("concat", out), self.maps["output"].flatten(1).T))
