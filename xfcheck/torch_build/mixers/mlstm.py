"""The matrix memory of xLSTM in chunks, and one token after another (Beck et al. 2024, arXiv 2405.04517, section 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from .. import norms
from ..marks import Linear, Site, Weighted

if TYPE_CHECKING:
    from ...architecture.mixers.mlstm import MLstm
    from ..passes import Pass

Memory = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`[B, H, K, V]`, its normaliser `[B, H, K]`, the exponent that both are kept below `[B, H, 1]`."""


class MLstmLayer(Weighted):
    """Maps as packed, gates a head, the memory, the norm of each head, the output gate and map."""

    def __init__(self, spec: MLstm, site: Site) -> None:
        super().__init__(site)
        self.spec, keys, values = spec, spec.keys, spec.values
        wide = {"qkvo": 2 * keys + 2 * values} if spec.packing == "fused" else {"query": keys, "key": keys, "value": values, "gate": values}
        narrow = {"gates": 2 * spec.heads} if spec.packing == "fused" else {"input_gate": spec.heads, "forget_gate": spec.heads}
        self.maps = torch.nn.ModuleList(Linear(site, part, size, site.hidden, bias=spec.bias) for part, size in wide.items())
        self.gates = torch.nn.ModuleList(Linear(site, part, size, site.hidden, bias=True) for part, size in narrow.items())
        self.head_norm = norms.NormLayer(site, "head_norm", spec.head_norm, spec.heads * spec.value_dim)
        self.out = Linear(site, "out", site.hidden, values, bias=spec.bias)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the memory stays in the pass's dtype."""
        spec, heads = self.spec, self.spec.heads
        mapped = run.saw("in", torch.cat([m(x) for m in self.maps], dim=-1))
        q, k, v, gate = mapped.split([spec.keys, spec.keys, spec.values, spec.values], dim=-1)
        q, k, v = (t.unflatten(-1, (heads, -1)).transpose(1, 2) for t in (q, k, v))
        given, kept = (t.transpose(1, 2) for t in torch.cat([m(x) for m in self.gates], dim=-1).split(heads, dim=-1))
        q, kept = q * spec.key_dim**-0.5, F.logsigmoid(kept)
        memory = (run.state["memory"], run.state["normaliser"], run.state["maximum"]) if run.past else None
        out, longest = [], spec.longest or x.shape[1]
        for first in range(0, x.shape[1], longest):
            part = slice(first, first + longest)
            done, memory = pieces(q[:, :, part], k[:, :, part], v[:, :, part], (given[..., part], kept[..., part]), memory, spec.chunk)
            out.append(done)
        if memory is not None:
            run.state.update(memory=run.saw("state", memory[0]), normaliser=memory[1], maximum=memory[2])
        normed = norms.by_head(self.head_norm, torch.cat(out, dim=2).transpose(1, 2))
        return run.saw("output", self.out(torch.sigmoid(gate) * normed.flatten(-2)))


def pieces(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, gates: tuple[torch.Tensor, torch.Tensor], memory: Memory | None, size: int
) -> tuple[torch.Tensor, Memory]:
    """Whole chunks of `size` tokens, then the others one after another: `[B, H, n, V]`. `gates`: logarithms of both, `[B, H, n]`."""
    given, kept = gates
    if memory is None:
        memory = (q.new_zeros(*k.shape[:2], k.shape[-1], v.shape[-1]), torch.zeros_like(k[:, :, 0]), torch.zeros_like(given[..., :1]))
    out, whole, first = [], q.shape[2] // size * size, 0
    while first < q.shape[2]:
        part = slice(first, first + (size if first < whole else 1))
        done, memory = chunk(q[:, :, part], k[:, :, part], v[:, :, part], (given[..., part], kept[..., part]), memory)
        out.append(done)
        first = part.stop
    return torch.cat(out, dim=2), memory


def chunk(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, gates: tuple[torch.Tensor, torch.Tensor], memory: Memory
) -> tuple[torch.Tensor, Memory]:
    """Tokens computed together; one alone is the recurrence: written into the memory, then read."""
    held, normaliser, most = memory
    given, kept = gates
    upto = kept.cumsum(-1)
    last = upto[..., -1:]
    into = last - upto + given
    top = torch.maximum(last + most, into.amax(-1, keepdim=True))
    old, weighed = torch.exp(last + most - top), k * torch.exp(into - top)[..., None]
    after = (held * old[..., None] + torch.matmul(weighed.transpose(-1, -2), v), normaliser * old + weighed.sum(2), top)
    if q.shape[2] == 1:
        below = torch.matmul(q, after[1][..., None])
        return torch.matmul(q, after[0]) / torch.maximum(below.abs(), torch.exp(-top)[..., None]), after
    lower = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).tril()
    pairs = (upto[..., :, None] - upto[..., None, :] + given[..., None, :]).masked_fill(~lower, float("-inf"))
    carried = upto + most
    bound = torch.maximum(carried, pairs.amax(-1))
    scores = torch.matmul(q, k.transpose(-1, -2)) * torch.exp(pairs - bound[..., None])
    share = torch.exp(carried - bound)[..., None]
    above = torch.matmul(q, held) * share + torch.matmul(scores, v)
    below = torch.matmul(q, normaliser[..., None]) * share + scores.sum(-1, keepdim=True)
    return above / torch.maximum(below.abs(), torch.exp(-bound)[..., None]), after
