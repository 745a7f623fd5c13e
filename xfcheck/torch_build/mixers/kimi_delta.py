"""The delta rule under a decay a channel, in chunks, and the step of one token (arXiv 2510.26692, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from .. import norms
from ..marks import Linear, Site, Weighted
from .convolution import causal
from .mlp import activation

if TYPE_CHECKING:
    from ...architecture.mixers.kimi_delta import KimiDelta
    from ..passes import Pass


class KimiDeltaLayer(Weighted):
    """Query, key and value behind one convolution, both gates (through a rank), the rule, the gated norm of each head, the output."""

    def __init__(self, spec: KimiDelta, site: Site) -> None:
        super().__init__(site)
        self.spec, inner, heads = spec, spec.inner_size, spec.heads
        self.query, self.key, self.value = (Linear(site, part, inner, site.hidden) for part in ("query", "key", "value"))
        self.ssm = ssm = Weighted(site.at("ssm"))
        if spec.split_convolution:
            self.convs = [ssm.tensor(part, (inner, 1, spec.kernel)) for part in ("query_conv", "key_conv", "value_conv")]
        else:
            self.convs = [ssm.tensor("conv", (3 * inner, 1, spec.kernel))]
        self.forget, self.gate = self._gate("forget", site), self._gate("gate", site)
        self.beta = Linear(site, "beta", heads, site.hidden)
        self.dt_bias = ssm.tensor("dt_bias", (inner,))
        self.decay = ssm.tensor("decay", (1, 1, heads, 1) if spec.decay_axes == 4 else (heads,))
        self.gated_norm = norms.NormLayer(site, "gated_norm", spec.gated_norm, spec.head_dim)
        self.out = Linear(site, "out", site.hidden, inner)

    def _gate(self, part: str, site: Site) -> torch.nn.Sequential:
        inner, rank = self.spec.inner_size, self.spec.gate_rank
        if rank is None:
            return torch.nn.Sequential(Linear(site, part, inner, site.hidden))
        return torch.nn.Sequential(Linear(site, f"{part}_a", rank, site.hidden), Linear(site, f"{part}_b", inner, rank))

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the state `[B, H, D, D]` stays in 32 bits (or the pass's, if wider)."""
        spec, heads = self.spec, self.spec.heads
        mapped = run.saw("in", torch.cat([self.query(x), self.key(x), self.value(x)], dim=-1)).transpose(1, 2)
        mixed = run.saw("conv", causal(mapped, torch.cat(self.convs), None, run.state, run.past).transpose(1, 2))
        wide = torch.promote_types(x.dtype, torch.float32)
        q, k, v = (
            t.unflatten(-1, (heads, -1)).transpose(1, 2) for t in activation(spec.activation)(mixed).to(wide).split(spec.inner_size, dim=-1)
        )
        q, k = (t * (t.square().sum(-1, keepdim=True) + 1e-6).rsqrt() for t in (q, k))
        step = F.softplus(self.forget(x).to(wide) + self.dt_bias.to(wide)).unflatten(-1, (heads, -1)).transpose(1, 2)
        decay = -torch.exp(self.decay.to(wide)).reshape(heads, 1, 1) * step
        rate = torch.sigmoid(self.beta(x).to(wide)).transpose(1, 2)
        held = run.state.get("recurrent") if run.past else None
        q = q * spec.head_dim**-0.5
        if held is not None and x.shape[1] == 1:
            out, state = step_of(q, k, v, rate, decay, held)
        else:
            out, state = chunked(q, k, v, rate, decay, held, spec.chunk)
        run.state["recurrent"] = run.saw("state", state)
        gate = torch.sigmoid(self.gate(x)).unflatten(-1, (heads, -1))
        return run.saw("output", self.out((self.gated_norm(out.transpose(1, 2).to(x.dtype)) * gate).flatten(-2)))


def step_of(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rate: torch.Tensor, decay: torch.Tensor, state: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """S = diag(exp(g)) S; S += k (beta (v - k S)); out = q S; sums of products element by element. All `[B, H, 1, D]`, S `[B, H, D, D]`."""
    state = state * torch.exp(decay).transpose(-1, -2)
    told = (state * k.transpose(-1, -2)).sum(-2, keepdim=True)
    state = state + k.transpose(-1, -2) * ((v - told) * rate[..., None])
    return (state * q.transpose(-1, -2)).sum(-2, keepdim=True), state


def chunked(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rate: torch.Tensor, decay: torch.Tensor, held: torch.Tensor | None, size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same for `[B, H, n, D]` in chunks of `size` tokens.

    Scores under a decay a channel are sums element by element; the solved triangle is then multiplied with values and with keys.
    """
    new = q.shape[2]
    fill = -new % size
    q, k, v, decay = (F.pad(t, (0, 0, 0, fill)).unflatten(2, (-1, size)) for t in (q, k, v, decay))
    rate = F.pad(rate, (0, fill)).unflatten(2, (-1, size))
    upto = decay.cumsum(-2)
    state = q.new_zeros(q.shape[0], q.shape[1], k.shape[-1], v.shape[-1]) if held is None else held
    lower = torch.ones(size, size, dtype=torch.bool, device=q.device).tril()
    out = []
    for i in range(q.shape[2]):
        query, key, value, sums, beta = q[:, :, i], k[:, :, i], v[:, :, i], upto[:, :, i], rate[:, :, i]
        between = (sums[..., :, None, :] - sums[..., None, :, :]).masked_fill(~lower[..., None], float("-inf")).exp()
        system = ((key * beta[..., None])[..., :, None, :] * key[..., None, :, :] * between).sum(-1).tril(-1)
        eye = torch.eye(size, dtype=q.dtype, device=q.device)
        solved = torch.linalg.solve_triangular(system + eye, eye.expand_as(system), upper=False) * beta[..., None, :]
        fresh = torch.matmul(solved, value) - torch.matmul(torch.matmul(solved, key * sums.exp()), state)
        scores = (query[..., :, None, :] * key[..., None, :, :] * between).sum(-1)
        out.append(torch.matmul(query * sums.exp(), state) + torch.matmul(scores, fresh))
        last = sums[..., -1:, :]
        state = state * last.exp().transpose(-1, -2) + torch.matmul((key * (last - sums).exp()).transpose(-1, -2), fresh)
    return torch.cat(out, dim=2)[:, :, :new], state
