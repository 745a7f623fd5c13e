"""The gated delta rule in chunks, and the step of one token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from .. import norms
from ..marks import Linear, Site, Weighted
from .convolution import causal
from .mlp import activation

if TYPE_CHECKING:
    from ...architecture.mixers.gated_delta import GatedDelta
    from ..passes import Pass


class GatedDeltaLayer(Weighted):
    """Maps as packed, the convolution over query, key and value, the rule, the gated norm of each head and the output map."""

    def __init__(self, spec: GatedDelta, site: Site) -> None:
        super().__init__(site)
        self.spec, keys, values, heads = spec, spec.keys, spec.values, spec.value_heads
        sizes = {
            "grouped": {"qkvz": 2 * keys + 2 * values, "ba": 2 * heads},
            "qkv": {"qkv": 2 * keys + values, "gate": values, "beta": heads, "step": heads},
            "separate": {"query": keys, "key": keys, "value": values, "gate": values, "beta": heads, "step": heads},
            "all": {"in": 2 * keys + 2 * values + 2 * heads},
        }[spec.packing]
        self.maps = torch.nn.ModuleList(Linear(site, part, size, site.hidden) for part, size in sizes.items())
        ssm = Weighted(site.at("ssm"))
        if spec.split_convolution:
            each = -(-spec.conv_size // 3)
            cut = [min(each, spec.conv_size - i * each) for i in range(3)]
            self.convs = [
                ssm.tensor(part, (size, 1, spec.kernel))
                for part, size in zip(("query_conv", "key_conv", "value_conv"), cut, strict=True)
                if size > 0
            ]
        else:
            self.convs = [ssm.tensor("conv", (spec.conv_size, 1, spec.kernel))]
        self.dt_bias, self.decay = (ssm.tensor(part, (heads,)) for part in ("dt_bias", "decay"))
        self.ssm = ssm
        self.gated_norm = norms.NormLayer(site, "gated_norm", spec.gated_norm, spec.value_dim)
        self.out = Linear(site, "out", site.hidden, values)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the state `[B, H, K, V]` stays in 32 bits (or the pass's, if wider)."""
        spec, heads = self.spec, self.spec.value_heads
        mapped = run.saw("in", torch.cat([m(x) for m in self.maps], dim=-1))
        mixed, gate, beta, step = mapped.split([spec.conv_size, spec.values, heads, heads], dim=-1)
        filters = (
            self.ssm.w_conv
            if hasattr(self.ssm, "w_conv")
            else torch.cat([getattr(self.ssm, f"w_{p}") for p in ("query_conv", "key_conv", "value_conv")])
        )
        mixed = activation(spec.activation)(
            run.saw("conv", causal(mixed.transpose(1, 2), filters, None, run.state, run.past).transpose(1, 2))
        )
        wide = torch.promote_types(x.dtype, torch.float32)
        query, key, value = mixed.to(wide).split([spec.keys, spec.keys, spec.values], dim=-1)
        repeats = heads // spec.key_heads
        query, key = (_unit(t.unflatten(-1, (spec.key_heads, -1))).repeat_interleave(repeats, dim=2).transpose(1, 2) for t in (query, key))
        value = value.unflatten(-1, (heads, -1)).transpose(1, 2)
        rate = torch.sigmoid(beta.to(wide)).transpose(1, 2)
        decay = (-torch.exp(self.ssm.w_decay.to(wide)) * F.softplus(step.to(wide) + self.ssm.w_dt_bias.to(wide))).transpose(1, 2)
        held = run.state.get("recurrent") if run.past else None
        query = query * spec.key_dim**-0.5
        if held is not None and x.shape[1] == 1:
            out, state = step_of(query, key, value, rate, decay, held)
        else:
            out, state = chunked(query, key, value, rate, decay, held, spec.chunk)
        run.state["recurrent"] = run.saw("state", state)
        out = self.gated_norm(out.transpose(1, 2).to(x.dtype)) * F.silu(gate.unflatten(-1, (heads, -1)))
        return run.saw("output", self.out(out.flatten(-2)))


def _unit(x: torch.Tensor) -> torch.Tensor:
    return x * (x.square().sum(-1, keepdim=True) + 1e-6).rsqrt()


def step_of(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rate: torch.Tensor, decay: torch.Tensor, state: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """S = exp(g) S; S += k (beta (v - k S)); out = q S; sums of products element by element. All `[B, H, 1, .]`, S `[B, H, K, V]`."""
    state = state * torch.exp(decay)[..., None]
    told = (state * k.transpose(-1, -2)).sum(-2, keepdim=True)
    state = state + k.transpose(-1, -2) * ((v - told) * rate[..., None])
    return (state * q.transpose(-1, -2)).sum(-2, keepdim=True), state


def chunked(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rate: torch.Tensor, decay: torch.Tensor, held: torch.Tensor | None, size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same for `[B, H, n, .]`, in chunks of `size` tokens.

    Inside one, the rule is a triangular system (arXiv 2412.06464, section 3).
    """
    new = q.shape[2]
    fill = -new % size
    q, k, v = (F.pad(t, (0, 0, 0, fill)).unflatten(2, (-1, size)) for t in (q, k, v))
    rate, decay = (F.pad(t, (0, fill)).unflatten(2, (-1, size)) for t in (rate, decay))
    upto = decay.cumsum(-1)
    between = (upto[..., :, None] - upto[..., None, :]).tril().exp().tril()
    system = torch.matmul(k * rate[..., None], k.transpose(-1, -2)) * between
    system = system.tril(-1) + torch.eye(size, dtype=q.dtype, device=q.device)
    values = torch.linalg.solve_triangular(system, v * rate[..., None], upper=False)
    keys = torch.linalg.solve_triangular(system, k * (rate * upto.exp())[..., None], upper=False)
    scores = torch.matmul(q, k.transpose(-1, -2)) * between
    state = q.new_zeros(q.shape[0], q.shape[1], k.shape[-1], v.shape[-1]) if held is None else held
    out = []
    for i in range(q.shape[2]):
        fresh = values[:, :, i] - torch.matmul(keys[:, :, i], state)
        out.append(torch.matmul(q[:, :, i] * upto[:, :, i, :, None].exp(), state) + torch.matmul(scores[:, :, i], fresh))
        last = upto[:, :, i, -1]
        state = state * last.exp()[..., None, None] + torch.matmul(
            (k[:, :, i] * (last[..., None] - upto[:, :, i]).exp()[..., None]).transpose(-1, -2), fresh
        )
    return torch.cat(out, dim=2)[:, :, :new], state
