"""The two mixers of RWKV-4 (Peng et al. 2023, arXiv 2305.13048, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..marks import Linear, Site, Weighted

if TYPE_CHECKING:
    from ...architecture.mixers.rwkv import ChannelMix, TimeMix
    from ..passes import Pass


def shifted(x: torch.Tensor, run: Pass) -> torch.Tensor:
    """`[B, n, d]` a token later, the kept one first; the last one stays."""
    before = run.state["last"][:, None] if run.past else torch.zeros_like(x[:, :1])
    run.state["last"] = x[:, -1]
    return torch.cat([before, x[:, :-1]], dim=1)


class TimeMixLayer(Weighted):
    """Key, value and receptance of a mixture with the token before; a decayed mean of values, one token after another."""

    def __init__(self, spec: TimeMix, site: Site) -> None:
        super().__init__(site)
        ssm = Weighted(site.at("ssm"))
        self.ssm = ssm
        self.decay, self.first = ssm.tensor("decay", (spec.width,)), ssm.tensor("first", (spec.width,))
        self.mix = {part: self.tensor(f"mix_{part}", (1, 1, site.hidden)) for part in ("key", "value", "receptance")}
        self.key, self.value, self.receptance = (Linear(site, p, spec.width, site.hidden) for p in ("key", "value", "receptance"))
        self.output = Linear(site, "output", site.hidden, spec.width)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; numerator, denominator and maximum `[B, width]` stay in 32 bits (or the pass's, if wider)."""
        before = shifted(x, run)
        mixed = {part: x * share + before * (1 - share) for part, share in self.mix.items()}
        wide = torch.promote_types(x.dtype, torch.float32)
        keys, values = run.saw("key", self.key(mixed["key"])).to(wide), run.saw("value", self.value(mixed["value"])).to(wide)
        decay, first = -torch.exp(self.decay.to(wide)), self.first.to(wide)
        if run.past:
            above, below, most = (run.state[name] for name in ("numerator", "denominator", "maximum"))
        else:
            above, below = torch.zeros_like(keys[:, 0]), torch.zeros_like(keys[:, 0])
            most = torch.full_like(keys[:, 0], -1e38)
        out = []
        for key, value in zip(keys.unbind(1), values.unbind(1), strict=True):
            top = torch.maximum(most, first + key)
            old, new = torch.exp(most - top), torch.exp(first + key - top)
            out.append((old * above + new * value) / (old * below + new))
            top = torch.maximum(most + decay, key)
            old, new = torch.exp(most + decay - top), torch.exp(key - top)
            above, below, most = old * above + new * value, old * below + new, top
        run.state.update(numerator=above, denominator=below, maximum=most)
        taken = torch.sigmoid(self.receptance(mixed["receptance"])) * torch.stack(out, dim=1).to(x.dtype)
        return run.saw("output", self.output(taken))


class ChannelMixLayer(Weighted):
    """`sigmoid(receptance(x)) * value(relu(key(x)) ** 2)` of a mixture with the token before."""

    def __init__(self, spec: ChannelMix, site: Site) -> None:
        super().__init__(site)
        self.mix = {part: self.tensor(f"mix_{part}", (1, 1, site.hidden)) for part in ("key", "receptance")}
        self.key = Linear(site, "key", spec.intermediate_size, site.hidden)
        self.receptance = Linear(site, "receptance", site.hidden, site.hidden)
        self.value = Linear(site, "value", site.hidden, spec.intermediate_size)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]; the last token stays."""
        before = shifted(x, run)
        mixed = {part: x * share + before * (1 - share) for part, share in self.mix.items()}
        inner = run.saw("up", self.key(mixed["key"])).relu().square()
        return run.saw("down", torch.sigmoid(self.receptance(mixed["receptance"])) * self.value(inner))
