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
        self.spec, values = spec, spec.outputs * spec.value_dim
        self.maps = torch.nn.ModuleList(Linear(site, part, size, site.hidden) for part, size in spec.widths.items())
        self.gate = Linear(site, "gate", values, site.hidden) if spec.gate else None
        self.convs = [self.tensor(f"{part}_conv", (spec.widths[part], 1, spec.kernel)) for part in spec.convolved if spec.kernel]
        self.gated_norm = norms.maybe(site, "gated_norm", spec.gated_norm, spec.value_dim)
        self.out = Linear(site, "out", site.hidden, values)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the state stays in 32 bits (or the pass's, if wider)."""
        spec = self.spec
        mixed = run.saw("in", torch.cat([m(x) for m in self.maps], dim=-1))
        parts = dict(zip(spec.widths, mixed.split(list(spec.widths.values()), dim=-1), strict=True))
        if self.convs:
            through = torch.cat([parts[part] for part in spec.convolved], dim=-1).transpose(1, 2)
            through = run.saw("conv", causal(through, torch.cat(self.convs), None, run.state, run.past).transpose(1, 2))
            parts |= zip(spec.convolved, through.split([spec.widths[part] for part in spec.convolved], dim=-1), strict=True)
        wide = torch.promote_types(x.dtype, torch.float32)
        q, k, v = (
            self._heads(part.to(wide), width)
            for part, width in zip(parts.values(), (spec.key_dim, spec.key_dim, spec.value_dim), strict=True)
        )
        out = self._slots(q, k, v, run) if spec.slots is not None else self._read(q, k, v, "recurrent", run)
        out = norms.heads(self.gated_norm, out.transpose(1, 2)).transpose(1, 2).flatten(-2).to(x.dtype)
        if self.gate is not None:
            out = out * torch.nn.functional.silu(self.gate(x))
        return run.saw("output", self.out(out))

    def _heads(self, x: torch.Tensor, width: int) -> torch.Tensor:
        """`[B, n, writes, H, width]` for the H heads of the output: fewer heads are shared, more are written one after another."""
        heads = x.unflatten(-1, (-1, width))
        few = heads.shape[2]
        if few <= self.spec.outputs:
            return heads.repeat_interleave(self.spec.outputs // few, dim=2)[:, :, None]
        return heads.unflatten(2, (-1, self.spec.outputs))

    def _read(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, name: str, run: Pass) -> torch.Tensor:
        """`[B, n, H, V]`; under the delta rule a key's old value is taken out before the new one is written."""
        held = run.state.get(name) if run.past else None
        state = q.new_zeros(q.shape[0], q.shape[3], k.shape[-1], v.shape[-1]) if held is None else held
        out = []
        for t in range(q.shape[1]):
            for write in range(k.shape[2]):
                key, value = k[:, t, write], v[:, t, write, :, None]
                if self.spec.delta:
                    value = value - torch.matmul(key[:, :, None], state)
                state = state + torch.matmul(key[..., None], value)
            out.append(torch.matmul(q[:, t, 0, :, None], state).squeeze(2))
        run.state[name] = run.saw("state" if name == "recurrent" else name, state)
        return torch.stack(out, dim=1)

    def _slots(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, run: Pass) -> torch.Tensor:
        """Two states: of keys by slots, whose softmax reads that of slots by values (arXiv 2409.07146)."""
        ones = k.new_ones(*k.shape[:-1], self.spec.slots or 1)
        chosen = torch.softmax(self._read(q, k, ones, "slots_keys", run), dim=-1)
        return self._read(chosen[:, :, None], ones, v, "slots_values", run)
