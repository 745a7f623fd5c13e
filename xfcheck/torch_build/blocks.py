"""Layers: residual steps with their norms, in the order and places that the description says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

from . import norms
from .marks import Linear, Mark, Site, Weighted, fitted
from .runnable import BESIDE, KINDS, layer_class

if TYPE_CHECKING:
    from ..architecture.blocks import Block, Projection, Sublayer
    from ..architecture.layers import LayerSet
    from .passes import Pass


class ProjectionWeights(Weighted):
    """A named weight that is no mixer, MLP or norm: what it multiplies is known, how its products are used is not."""

    def __init__(self, projection: Projection, site: Site) -> None:
        at = replace(site, stream=projection.stream or site.stream, component=projection.component, uses=site.uses * projection.uses)
        if projection.numbers is not None:
            at = replace(at, layers=projection.numbers)
        super().__init__(at)
        self.projection = projection
        kind = "buffer" if projection.buffer else "parameter"
        self.weight = self.tensor(projection.name, tuple(projection.shape), multiplies=projection.multiplies, kind=kind)
        if projection.tied:
            self.marks = {name: replace(mark, tied=True) for name, mark in self.marks.items()}
        if projection.bias:
            self.tensor(f"{projection.name}_bias", (projection.shape[0],))

    def multiply(self, run: Pass) -> None:
        """The products alone, of as many vectors as the description says, on `meta`.

        A list of weights is met once by the layers of its block together, `active` of them. Raises NotImplementedError elsewhere.
        """
        p = self.projection
        if not p.multiplies or self.site.stream == "absent":
            return
        if not self.weight.is_meta:
            raise NotImplementedError(f"the projection {p.name!r}")
        rows = run.batch * run.vectors(self.site.stream, p.kept) * p.uses
        if p.numbers is not None:
            chosen, every = p.active or (1, 1)
            rows = rows * len(p.numbers) * chosen // (every * run.times)
        matrix = self.weight.flatten(1)
        torch.nn.functional.linear(matrix.new_zeros(rows, matrix.shape[1]), matrix)


class SublayerModule(Weighted):
    """`x + after(mixers(before(x)))` with what may stand around it."""

    def __init__(self, sublayer: Sublayer, site: Site) -> None:
        super().__init__(site)
        self.sublayer = sublayer
        self.norm = norms.maybe(site, "norm", sublayer.norm, site.hidden)
        self.norm_after = norms.maybe(site, "norm_after", sublayer.norm_after, site.hidden)
        self.norm_residual = norms.maybe(site, "norm_residual", sublayer.norm_residual, site.hidden)
        self.mixers = nn.ModuleList()
        self.mixer_norms = nn.ModuleDict()
        for mixer in sublayer.mixers:
            if mixer.kind in KINDS:
                self.mixers.append(layer_class(mixer.kind)(mixer, site.at(mixer.component)))
            if mixer.slot in sublayer.mixer_norms and mixer.slot not in self.mixer_norms:
                self.mixer_norms[mixer.slot] = norms.NormLayer(site, "norm", sublayer.mixer_norms[mixer.slot], site.hidden)
        self.scale = self.tensor("scale", (site.hidden,), component="other") if sublayer.layer_scale else None
        if self.scale is not None:
            nn.init.ones_(self.scale)
        self.projections = nn.ModuleList(ProjectionWeights(p, site) for p in sublayer.projections)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        spec = self.sublayer
        normed = x if self.norm is None else self.norm(fitted(x, self.norm.norm.size))
        if self.norm is not None:
            run.saw(f"{spec.name}.norm", normed)
        for weights in self.projections:
            weights.multiply(run)
        total: torch.Tensor | None = None
        for module, mixer in zip(self.mixers, spec.mixers, strict=True):
            given = self.mixer_norms[mixer.slot](x) if mixer.slot in self.mixer_norms else normed
            before, run.key = run.key, (*run.key[:2], f"{spec.name}.{mixer.slot}{run.key[2]}")
            with run.inside(f"{spec.name}.{mixer.slot}"):
                out = module(fitted(given, mixer.input_size or x.shape[-1]), run)
            run.key = before
            if mixer.kind in BESIDE:
                continue
            out = fitted(out, x.shape[-1])
            total = out if total is None else total + out
        added = norms.apply(self.norm_after, x if total is None else total)
        added = added * spec.multiplier if spec.multiplier != 1.0 else added
        added = added if self.scale is None else added * self.scale
        added = x + fitted(added, x.shape[-1]) if spec.residual else added
        if self.norm_residual is not None:
            added = fitted(self.norm_residual(fitted(added, self.norm_residual.norm.size)), x.shape[-1])
        return run.saw(f"{spec.name}.residual", added)


class Layer(Weighted):
    """One layer, or one that stands for all layers of its kind."""

    def __init__(self, block: Block, site: Site, shared: dict[str, SublayerModule] | None = None) -> None:
        super().__init__(site)
        self.block = block
        first = replace(site, layers=_first(block))
        self.sublayers = nn.ModuleList()
        for sublayer in block.sublayers:
            if not sublayer.shared:
                self.sublayers.append(SublayerModule(sublayer, site))
                continue
            held = {} if shared is None else shared
            if sublayer.name not in held:
                held[sublayer.name] = SublayerModule(sublayer, first)
            self.sublayers.append(held[sublayer.name])
        self.projections = nn.ModuleList(ProjectionWeights(p, site) for p in block.projections)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d], as often as the block uses its weights."""
        if self.block.stream == "absent":
            return x
        stack, index = run.key[0], run.key[1]
        for use in range(self.block.uses):
            run.key = (stack, index, f"#{use}")
            for sublayer in self.sublayers:
                x = sublayer(x, run)
            for weights in self.projections:
                weights.multiply(run)
        run.key = (stack, index, "")
        return x


def _first(block: Block) -> LayerSet:
    from ..architecture.layers import LayerSet

    return LayerSet.of([min(r.start for r in block.layers.ranges)])


def repeated(block: Block, module: Layer) -> list[Mark]:
    """The marks of shared sublayers once more, for the layers that apply them without holding them."""
    from ..architecture.layers import LayerSet
    from .marks import marks

    first = min(r.start for r in block.layers.ranges)
    others = LayerSet.of(i for i in block.layers if i != first)
    if not len(others):
        return []
    return [
        replace(mark, layers=others, tied=True)
        for inner, sublayer in zip(module.sublayers, block.sublayers, strict=True)
        if sublayer.shared
        for mark in marks(inner)
        if mark.layers == _first(block)
    ]


__all__ = ["Layer", "Linear", "ProjectionWeights", "SublayerModule", "repeated"]
