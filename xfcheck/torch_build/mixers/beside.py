"""Mixers that work on what another mixer computes inside: what they multiply is known, on `meta`; their result goes nowhere here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from ...architecture.layers import LayerSet
from .. import norms
from ..marks import Linear, Site, Weighted
from .convolution import causal

if TYPE_CHECKING:
    from ...architecture.mixers.ngram_embedding import NgramEmbedding
    from ...architecture.mixers.token_filter import TokenFilter
    from ..passes import Pass


class TokenFilterLayer(Weighted):
    """A depthwise convolution over `channels`, or the matrix of the taps that a token gives; K columns stay."""

    def __init__(self, spec: TokenFilter, site: Site) -> None:
        super().__init__(site)
        self.spec = spec
        if spec.groups is None:
            self.conv = self.tensor("conv", (spec.channels, 1, spec.kernel))
        else:
            self.static = self.tensor("static", (spec.kernel, spec.channels))
            self.taps = Linear(site, "taps", spec.groups * spec.kernel, site.hidden)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, channels]."""
        spec = self.spec
        inner = x.new_zeros(*x.shape[:-1], spec.channels)
        inner = inner.to(torch.promote_types(x.dtype, torch.float32)) if spec.wide else inner
        if spec.groups is None:
            return causal(inner.transpose(1, 2), self.conv.to(inner.dtype), None, run.state, run.past).transpose(1, 2)
        self.taps(x)
        run.state["conv"] = inner.new_zeros(x.shape[0], spec.channels, spec.kernel)
        return inner


class DepthAttentionLayer(Weighted):
    """Trained queries over earlier states of the same token."""

    def __init__(self, spec: Any, site: Site) -> None:
        super().__init__(site)
        self.spec = spec

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, queries, width]."""
        spec = self.spec
        states = x.new_zeros(*x.shape[:-1], spec.states, spec.width)
        weights = torch.softmax(torch.matmul(x.new_zeros(spec.queries, spec.width), states.transpose(-1, -2)), dim=-1)
        return torch.matmul(weights, states)


class ResidualStreamsLayer(Weighted):
    """Streams mixed by a matrix a token."""

    def __init__(self, spec: Any, site: Site) -> None:
        super().__init__(site)
        self.spec = spec

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, streams, width]."""
        spec = self.spec
        return torch.matmul(x.new_zeros(*x.shape[:-1], spec.streams, spec.streams), x.new_zeros(*x.shape[:-1], spec.streams, spec.width))


class NgramEmbeddingLayer(Weighted):
    """The table of hashed n-grams in its shards, key and value maps, and a convolution whose taps are `order` tokens apart."""

    def __init__(self, spec: NgramEmbedding, site: Site) -> None:
        super().__init__(site)
        self.spec, wide = spec, spec.streams * spec.hidden
        each = -(-spec.rows // spec.shards)
        whole, rest = divmod(spec.rows, each)
        self.shards = torch.nn.ModuleList()
        for numbers, size in ((LayerSet.first(whole), each), (LayerSet.of([whole]), rest)):
            if size and len(numbers):
                held = Weighted(replace(site.at("token_embedding"), layers=numbers))
                held.tensor("table", (size, spec.width // spec.heads))
                self.shards.append(held)
        for part, size in (("multipliers", spec.order), ("head_sizes", spec.heads), ("head_offsets", spec.heads)):
            self.tensor(part, (size,), kind="buffer")
        self.key, self.value = Linear(site, "key", wide, spec.width), Linear(site, "value", spec.hidden, spec.width)
        self.norms = torch.nn.ModuleList(norms.NormLayer(site, part, spec.norm, wide) for part in ("key_norm", "query_norm", "conv_norm"))
        ssm = Weighted(site.at("ssm"))
        self.ssm, self.conv = ssm, ssm.tensor("conv", (wide, 1, spec.kernel))

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, streams * d]."""
        spec, new = self.spec, x.shape[1]
        found = x.new_zeros(*x.shape[:-1], spec.width)
        self.value(found)
        columns = (spec.kernel - 1) * spec.order
        gated = self.key(found).transpose(1, 2)
        before = run.state["conv"] if run.past else gated.new_zeros(*gated.shape[:2], columns)
        whole = torch.cat([before, gated], dim=-1)
        run.state.update(
            conv=whole[..., whole.shape[-1] - columns :], ids=torch.zeros(x.shape[0], spec.order - 1, dtype=torch.long, device=x.device)
        )
        return F.conv1d(whole, self.conv, dilation=spec.order, groups=whole.shape[1])[..., -new:].transpose(1, 2)
