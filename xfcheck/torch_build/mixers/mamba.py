"""Mamba-1: selective scan as a parallel composition of affine maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from .. import norms
from ..marks import Linear, Site, Weighted
from .convolution import causal
from .mlp import activation

if TYPE_CHECKING:
    from ...architecture.mixers.mamba import Mamba
    from ..passes import Pass


def scan(decay: torch.Tensor, given: torch.Tensor, first: torch.Tensor | None) -> torch.Tensor:
    """h[t] = decay[t] h[t - 1] + given[t] along axis 1, by doubling: (a2, b2) after (a1, b1) is (a2 a1, a2 b1 + b2). `first` is h[-1]."""
    a, b = decay, given
    if first is not None:
        b = torch.cat([b[:, :1] + a[:, :1] * first[:, None], b[:, 1:]], dim=1)
    step, length = 1, b.shape[1]
    while step < length:
        b = torch.cat([b[:, :step], a[:, step:] * b[:, :-step] + b[:, step:]], dim=1)
        a = torch.cat([a[:, :step], a[:, step:] * a[:, :-step]], dim=1)
        step *= 2
    return b


def decayed(step: torch.Tensor, rate: torch.Tensor) -> torch.Tensor:
    """exp(dt A): what is left of a state after a step."""
    return torch.exp(step * rate)


class MambaLayer(Weighted):
    """The convolution, the step, B and C of each token, the recurrence and its gate."""

    def __init__(self, spec: Mamba, site: Site) -> None:
        super().__init__(site)
        self.spec = spec
        inner, state, rank = spec.inner_size, spec.state_size, spec.rank
        self.into = Linear(site, "in", 2 * inner, site.hidden, bias=spec.bias)
        self.conv = self.tensor("conv", (inner, 1, spec.kernel))
        self.conv_bias = self.tensor("conv_bias", (inner,)) if spec.conv_bias else None
        if spec.heads is None:
            self.x = Linear(site, "x", rank + 2 * state, inner)
            self.dt = Linear(site, "dt", inner, rank, bias=True)
            self.decay, self.skip = self.tensor("decay", (inner, state)), self.tensor("skip", (inner,))
        else:
            width = inner // spec.heads
            self.xs = self.tensor("x", (spec.heads, rank + 2 * state, width), multiplies=True)
            self.dts = self.tensor("dt", (spec.heads, width, rank), multiplies=True)
            self.dt_bias = self.tensor("dt_bias", (spec.heads, width))
            self.decay, self.skip = self.tensor("decay", (spec.heads, width, state)), self.tensor("skip", (spec.heads, width))
        self.out = Linear(site, "out", site.hidden, inner, bias=spec.bias)
        sizes = {"dt_norm": rank, "b_norm": state, "c_norm": state}
        self.inner_norms = torch.nn.ModuleDict(
            {name: norms.NormLayer(site, name, spec.inner_norms, size) for name, size in sizes.items()} if spec.inner_norms else {}
        )

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the state `[B, inner, state]` stays in 32 bits (or the pass's, if wider)."""
        spec = self.spec
        hidden, gate = run.saw("in", self.into(x)).transpose(1, 2).chunk(2, dim=1)
        hidden = activation(spec.activation)(run.saw("conv", causal(hidden, self.conv, self.conv_bias, run.state, run.past))).transpose(
            1, 2
        )
        step, b, c = self._selected(hidden)
        wide = torch.promote_types(x.dtype, torch.float32)
        step, inside = F.softplus(step).to(wide), hidden.to(wide)
        decay = decayed(step[..., None], -torch.exp(self.decay.to(wide)).reshape(spec.inner_size, spec.state_size))
        given = (step * inside)[..., None] * b.to(wide)
        states = scan(decay, given, run.state.get("ssm") if run.past else None)
        run.saw("state", states[:, -1])
        run.state["ssm"] = states[:, -1]
        read = states if spec.heads is None else states.unflatten(2, (spec.heads, -1))
        y = torch.matmul(read, c.to(wide)).squeeze(-1).flatten(2) + inside * self.skip.to(wide).reshape(-1)
        return run.saw("output", self.out(y.to(x.dtype) * activation(spec.activation)(gate.transpose(1, 2))))

    def _selected(self, hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Step `[B, n, inner]`; B and C `[B, n, inner or 1, state]`, C a slice with its last axis turned: `[..., state, 1]`."""
        spec = self.spec
        sizes = [spec.rank, spec.state_size, spec.state_size]
        if spec.heads is None:
            step, b, c = self.x(hidden).split(sizes, dim=-1)
            if spec.inner_norms is not None:
                step, b, c = self.inner_norms["dt_norm"](step), self.inner_norms["b_norm"](b), self.inner_norms["c_norm"](c)
            return self.dt(step), b[:, :, None, :], c[..., None]
        slices = hidden.unflatten(-1, (spec.heads, -1)).transpose(1, 2)
        step, b, c = torch.matmul(slices, self.xs.transpose(-1, -2)).split(sizes, dim=-1)
        step = torch.matmul(step, self.dts.transpose(-1, -2)) + self.dt_bias[:, None]
        b = b.transpose(1, 2).repeat_interleave(spec.inner_size // spec.heads, dim=2)
        return step.transpose(1, 2).flatten(2), b, c.transpose(1, 2)[..., None]
