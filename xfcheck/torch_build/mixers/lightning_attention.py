"""Lightning attention: linear attention under a fixed decay a head, in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .. import norms
from ..marks import Linear, Site, Weighted
from ..positions import slopes
from .mlp import activation

if TYPE_CHECKING:
    from ...architecture.mixers.lightning_attention import LightningAttention
    from ..passes import Pass


class LightningAttentionLayer(Weighted):
    """Queries, keys and values from one matrix; decays are buffers of the checkpoint, and computed here."""

    def __init__(self, spec: LightningAttention, site: Site) -> None:
        super().__init__(site)
        self.spec, heads, block = spec, spec.heads, spec.block
        self.qkv = Linear(site, "qkv", 3 * spec.inner_size, site.hidden)
        self.inner_norm = norms.NormLayer(site, "inner_norm", spec.norm, spec.inner_size)
        self.gate = Linear(site, "gate", spec.inner_size, site.hidden)
        self.out = Linear(site, "out", site.hidden, spec.inner_size)
        shapes = {
            "slope": (heads, 1, 1),
            "query_decay": (heads, block, 1),
            "key_decay": (heads, block, 1),
            "pair_decay": (1, heads, block, block),
        }
        for part, shape in shapes.items():
            self.tensor(part, shape, kind="buffer")

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; one state a head `[B, H, D, D]`, in the pass's dtype."""
        spec = self.spec
        qkv = activation(spec.activation)(run.saw("qkv", self.qkv(x))).unflatten(-1, (spec.heads, -1)).transpose(1, 2)
        q, k, v = qkv.split(spec.head_dim, dim=-1)
        state = run.state.get("recurrent") if run.past else None
        out, state = blocks(q, k, v, state, block=1 if run.past else spec.block)
        run.state["recurrent"] = run.saw("state", state)
        out = self.inner_norm(out.transpose(1, 2).flatten(2))
        return run.saw("output", self.out(torch.sigmoid(self.gate(x)) * out))


def blocks(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, state: torch.Tensor | None, block: int) -> tuple[torch.Tensor, torch.Tensor]:
    """out[t] = q[t] S[t], S[t] = exp(-slope) S[t - 1] + k[t] v[t]: `[B, H, n, D]`. A block of one token is the recurrence itself."""
    slope = torch.tensor(slopes(q.shape[1]), dtype=q.dtype, device=q.device)[:, None, None]
    state = q.new_zeros(q.shape[0], q.shape[1], k.shape[-1], v.shape[-1]) if state is None else state
    out = []
    for first in range(0, q.shape[2], block):
        part, key, value = (t[:, :, first : first + block] for t in (q, k, v))
        size = part.shape[2]
        if block == 1:
            state = torch.exp(-slope) * state + torch.matmul(key.transpose(-1, -2), value)
            out.append(torch.matmul(part, state))
            continue
        at = torch.arange(1, size + 1, device=q.device, dtype=q.dtype)[:, None]
        pairs = torch.exp(-slope * (at - at.T)).tril()
        out.append(
            torch.matmul(torch.matmul(part, key.transpose(-1, -2)) * pairs, value) + torch.matmul(part * torch.exp(-slope * at), state)
        )
        state = torch.exp(-slope * size) * state + torch.matmul((key * torch.exp(-slope * (size - at))).transpose(-1, -2), value)
    return torch.cat(out, dim=2), state
