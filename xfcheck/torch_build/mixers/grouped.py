"""Maps in groups of channels, and the attention and network made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F

from ..marks import Site, Weighted
from .attention import AttentionLayer
from .mlp import activation

if TYPE_CHECKING:
    from ...architecture.mixers.grouped import GroupedAttention, GroupedMLP
    from ..passes import Pass


class GroupedLinear(Weighted):
    """Each group of outputs reads its group of inputs: a convolution of one tap `[out, in / G, 1]`, or blocks `[G, in / G, out / G]`."""

    def __init__(self, site: Site, part: str, sizes: tuple[int, int, int], *, blocks: bool = False) -> None:
        super().__init__(site)
        out, into, self.groups = sizes
        shape = (self.groups, into // self.groups, out // self.groups) if blocks else (out, into // self.groups, 1)
        self.blocks = blocks
        self.weight = self.tensor(part, shape, multiplies=True)
        self.bias = self.tensor(f"{part}_bias", (out,))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[B, n, in] -> [B, n, out]."""
        if self.blocks:
            return torch.matmul(x.unflatten(-1, (self.groups, 1, -1)), self.weight).flatten(-3) + self.bias
        return F.conv1d(x.transpose(1, 2), self.weight, self.bias, groups=self.groups).transpose(1, 2)


class GroupedAttentionLayer(AttentionLayer):
    """Softmax attention whose four maps are grouped."""

    def _maps(self, site: Site, over: Site, widths: tuple[int, int, int]) -> None:
        spec: GroupedAttention = self.spec  # type: ignore[assignment]
        wide, inner = site.hidden, spec.query_heads * spec.head_dim
        self.query = GroupedLinear(site, "query", (inner, wide, spec.query_groups))
        self.key = GroupedLinear(site, "key", (inner, wide, spec.key_groups))
        self.value = GroupedLinear(site, "value", (inner, wide, spec.value_groups))
        self.output = GroupedLinear(site, "output", (wide, inner, spec.output_groups))


class GroupedMLPLayer(Weighted):
    """`down(act(up(x)))` in groups."""

    def __init__(self, spec: GroupedMLP, site: Site) -> None:
        super().__init__(site)
        self.spec, blocks = spec, spec.storage == "blocks"
        self.up = GroupedLinear(site, "up", (spec.intermediate_size, site.hidden, spec.groups), blocks=blocks)
        self.down = GroupedLinear(site, "down", (site.hidden, spec.intermediate_size, spec.output_groups), blocks=blocks)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        return run.saw("down", self.down(activation(self.spec.activation)(run.saw("up", self.up(x)))))
