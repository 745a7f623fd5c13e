"""Linear attention as a recurrence, one token after another (Katharopoulos et al. 2020, arXiv 2006.16236, section 3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .. import norms
from ..marks import Linear, Site, Weighted
from .convolution import causal

if TYPE_CHECKING:
    from ...architecture.mixers.linear_attention import LinearAttention
    from ..passes import Pass


class LinearAttentionLayer(Weighted):
    """Query, key and value (behind convolutions), a state that each token writes and reads, the norm of a head, gate and output."""

    def __init__(self, spec: LinearAttention, site: Site) -> None:
        super().__init__(site)
        self.spec = spec
        self.sizes = (spec.heads * spec.key_dim, spec.kv_heads * spec.key_dim, spec.kv_heads * spec.value_dim)
        parts, values = ("query", "key", "value"), spec.heads * spec.value_dim
        self.maps = torch.nn.ModuleList(Linear(site, part, size, site.hidden) for part, size in zip(parts, self.sizes, strict=True))
        self.gate = Linear(site, "gate", values, site.hidden) if spec.gate else None
        held = [self.tensor(f"{part}_conv", (size, 1, spec.kernel)) for part, size in zip(parts, self.sizes, strict=True) if spec.kernel]
        self.convs = held
        self.gated_norm = norms.maybe(site, "gated_norm", spec.gated_norm, spec.value_dim)
        self.out = Linear(site, "out", site.hidden, values)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the state stays in 32 bits (or the pass's, if wider)."""
        spec = self.spec
        mixed = run.saw("in", torch.cat([m(x) for m in self.maps], dim=-1))
        if self.convs:
            mixed = run.saw("conv", causal(mixed.transpose(1, 2), torch.cat(self.convs), None, run.state, run.past).transpose(1, 2))
        wide = torch.promote_types(x.dtype, torch.float32)
        q, k, v = mixed.to(wide).split(self.sizes, dim=-1)
        q = q.unflatten(-1, (spec.heads, -1))
        k, v = (t.unflatten(-1, (spec.kv_heads, -1)).repeat_interleave(spec.heads // spec.kv_heads, dim=2) for t in (k, v))
        out = self._slots(q, k, v, run) if spec.slots is not None else self._read(q, k, v, "recurrent", run)
        out = norms.heads(self.gated_norm, out.transpose(1, 2)).transpose(1, 2).flatten(-2).to(x.dtype)
        if self.gate is not None:
            out = out * torch.nn.functional.silu(self.gate(x))
        return run.saw("output", self.out(out))

    def _read(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, name: str, run: Pass) -> torch.Tensor:
        """`[B, n, H, V]`; under the delta rule a key's old value is taken out before the new one is written."""
        held = run.state.get(name) if run.past else None
        state = q.new_zeros(q.shape[0], q.shape[2], k.shape[-1], v.shape[-1]) if held is None else held
        out = []
        for query, key, value in zip(q.unbind(1), k.unbind(1), v.unbind(1), strict=True):
            written = value[:, :, None]
            if self.spec.delta:
                written = written - torch.matmul(key[:, :, None], state)
            state = state + torch.matmul(key[..., None], written)
            out.append(torch.matmul(query[:, :, None], state).squeeze(2))
        run.state[name] = run.saw("state" if name == "recurrent" else name, state)
        return torch.stack(out, dim=1)

    def _slots(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, run: Pass) -> torch.Tensor:
        """Two states: of keys by slots, whose softmax reads that of slots by values (arXiv 2409.07146)."""
        ones = k.new_ones(*k.shape[:-1], self.spec.slots or 1)
        chosen = torch.softmax(self._read(q, k, ones, "slots_keys", run), dim=-1)
        return self._read(chosen, ones, v, "slots_values", run)
