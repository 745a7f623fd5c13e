"""Mamba-2: the chunked scan in five products, and the step of one token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from .. import norms
from ..marks import Linear, Site, Weighted
from .convolution import causal
from .mlp import activation

if TYPE_CHECKING:
    from ...architecture.mixers.mamba2 import Mamba2
    from ..passes import Pass


def sums(x: torch.Tensor) -> torch.Tensor:
    """out[i, j] = x[j + 1] + ... + x[i] for i >= j, minus infinity above the diagonal: `[..., l, l]`."""
    length = x.shape[-1]
    upto = x.cumsum(-1)
    out = upto[..., :, None] - upto[..., None, :]
    seen = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
    return out.masked_fill(~seen, float("-inf"))


class Mamba2Layer(Weighted):
    """One map to gate, x, B, C and steps; the convolution; the scan; the gated norm; the output map."""

    def __init__(self, spec: Mamba2, site: Site) -> None:
        super().__init__(site)
        self.spec = spec
        self.into = Linear(site, "in", spec.inner_size + spec.conv_size + spec.heads, site.hidden, bias=spec.bias)
        self.conv = self.tensor("conv", (spec.conv_size, 1, spec.kernel))
        self.conv_bias = self.tensor("conv_bias", (spec.conv_size,)) if spec.conv_bias else None
        self.dt_bias, self.decay, self.skip = (self.tensor(part, (spec.heads,)) for part in ("dt_bias", "decay", "skip"))
        self.gated_norm = norms.maybe(site, "gated_norm", spec.gated_norm, spec.inner_size)
        self.out = Linear(site, "out", site.hidden, spec.inner_size, bias=spec.bias if spec.output_bias is None else spec.output_bias)

    def forward(self, u: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the state `[B, heads, head_dim, state]` stays in 32 bits (or the pass's, if wider)."""
        spec = self.spec
        gate, xbc, step = run.saw("in", self.into(u)).split([spec.inner_size, spec.conv_size, spec.heads], dim=-1)
        xbc = causal(xbc.transpose(1, 2), self.conv, self.conv_bias, run.state, run.past).transpose(1, 2)
        wide = torch.promote_types(u.dtype, torch.float32)
        shared = spec.groups * spec.state_size
        x, b, c = activation(spec.activation)(run.saw("conv", xbc)).to(wide).split([spec.inner_size, shared, shared], dim=-1)
        x = x.unflatten(-1, (spec.heads, -1))
        b, c = (t.unflatten(-1, (spec.groups, -1)).repeat_interleave(spec.heads // spec.groups, dim=2) for t in (b, c))
        step = F.softplus(step.to(wide) + self.dt_bias.to(wide))
        decay = -torch.exp(self.decay.to(wide)) * step
        held = run.state.get("ssm") if run.past else None
        if held is not None and u.shape[1] == 1:
            y, state = self._step(x * step[..., None], decay, b, c, held)
        else:
            y, state = self._chunks(x * step[..., None], decay, b, c, held)
        run.state["ssm"] = run.saw("state", state)
        y = (y + x * self.skip.to(wide)[:, None]).flatten(-2).to(u.dtype)
        y = self.gated_norm(y * F.silu(gate)) if self.gated_norm is not None else y * F.silu(gate)
        return run.saw("output", self.out(y))

    def _step(
        self, x: torch.Tensor, decay: torch.Tensor, b: torch.Tensor, c: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        state = state * torch.exp(decay[:, 0])[..., None, None] + x[:, 0, :, :, None] * b[:, 0, :, None, :]
        return torch.matmul(state, c[:, 0, :, :, None]).squeeze(-1)[:, None], state

    def _chunks(
        self, x: torch.Tensor, decay: torch.Tensor, b: torch.Tensor, c: torch.Tensor, held: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Products of chunks of `chunk` tokens, the last one filled up with zeros. All `[B, H, c, l, ...]` inside."""
        new, size = x.shape[1], self.spec.chunk
        fill = -new % size
        x, b, c = (F.pad(t, (0, 0, 0, 0, 0, fill)).transpose(1, 2).unflatten(2, (-1, size)) for t in (x, b, c))
        decay = F.pad(decay, (0, 0, 0, fill)).transpose(1, 2).unflatten(2, (-1, size))
        upto = decay.cumsum(-1)
        inside = torch.matmul(torch.matmul(c, b.transpose(-1, -2)) * torch.exp(sums(decay)), x)
        states = torch.matmul((x * torch.exp(upto[..., -1:] - upto)[..., None]).transpose(-1, -2), b)
        first = torch.zeros_like(states[:, :, :1]) if held is None else held[:, :, None]
        states = torch.cat([first, states], dim=2)
        between = torch.exp(sums(F.pad(upto[..., -1], (1, 0))))
        states = torch.matmul(between, states.flatten(-2)).unflatten(-1, states.shape[-2:])
        before, last = states[:, :, :-1], states[:, :, -1]
        crossing = torch.matmul(c, before.transpose(-1, -2)) * torch.exp(upto)[..., None]
        return (inside + crossing).flatten(2, 3)[:, :, :new].transpose(1, 2), last
