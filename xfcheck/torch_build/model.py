"""A whole model from an architecture."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..architecture.layers import LayerSet
from . import norms
from .blocks import Layer, ProjectionWeights, repeated
from .heads import HeadModule, Tables
from .marks import Mark, Site, Weighted, fitted, marks
from .passes import Pass

if TYPE_CHECKING:
    from ..architecture.blocks import Block, Stack
    from ..architecture.model import Architecture

TOWERS = ("image", "audio")
"""Streams of stacks that read no token ids."""


class StackModule(Weighted):
    """A column of layers. `whole`: every layer; else one a kind of block, that stands for all of its kind."""

    def __init__(self, stack: Stack, *, whole: bool, table: nn.Parameter | None, stream: str | None = None) -> None:
        site = Site(stack.stream, None, stack.hidden_size)
        super().__init__(site)
        self.stack = stack
        self.called = stack.name or stream or stack.stream
        e = stack.embedding
        self.tables = None
        if e is not None:
            self.tables = Tables(e, site, stack.hidden_size, part="stack_embedding", table=table if e.tied else None)
        self.embedding_norm = norms.maybe(site, "embedding_norm", stack.embedding_norm, stack.hidden_size)
        self.norm_is_narrow = stack.embedding_norm is not None and stack.embedding_norm.size not in (None, stack.hidden_size)
        self.final_norm = norms.maybe(site, "final_norm", stack.final_norm, stack.hidden_size)
        self.projections = nn.ModuleList(ProjectionWeights(p, site) for p in stack.projections)
        self.layers = nn.ModuleList()
        self.times: list[int] = []
        self.repeats: list[Mark] = []
        shared: dict[str, Any] = {}
        for block, layers in _placed(stack, whole=whole):
            module = Layer(
                block, Site(block.stream or stack.stream, layers, stack.hidden_size, uses=block.uses), shared.setdefault(block.name, {})
            )
            self.layers.append(module)
            self.times.append(1 if whole else len(layers))
            if not whole or min(layers) == min(block.layers):
                self.repeats += repeated(block, module)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        name, padding = self.called, self.stack.padding
        if padding is not None:
            if not x.is_meta:
                raise NotImplementedError("a stack that fills up its tokens")
            run.paddings[self.stack.stream] = padding
            x = x.new_zeros(x.shape[0], run.vectors(self.stack.stream), x.shape[2])
        run.stream = self.stack.stream
        if not self.norm_is_narrow:
            x = norms.apply(self.embedding_norm, x)
        run.times = 1
        with run.counted(1):
            for weights in self.projections:
                weights.multiply(run)
        run.keys, run.bias = {}, {}
        for index, (layer, times) in enumerate(zip(self.layers, self.times, strict=True)):
            run.key, run.times = (name, index, ""), times
            with run.counted(times), run.inside(f"{name}.{layer.block.name}"):
                x = layer(x, run)
        for key in run.states:
            if key[0] == name:
                run.counts[key] = self.times[key[1]]
        return norms.apply(self.final_norm, x)


def _placed(stack: Stack, *, whole: bool) -> list[tuple[Block, LayerSet]]:
    """(block, layers) in the order in which layers apply: each layer alone, or each kind once."""
    if whole:
        each = sorted((index, place) for place, block in enumerate(stack.blocks) for index in block.layers)
        return [(stack.blocks[place], LayerSet.of([index])) for index, place in each]
    held = [block for block in stack.blocks if len(block.layers)]
    return [(block, block.layers) for block in sorted(held, key=lambda b: min(r.start for r in b.layers.ranges))]


class Model(nn.Module):
    """Embeddings, stacks and head of an architecture. See `build`. `streams`: what a whole calls the streams of a member."""

    def __init__(self, a: Architecture, *, whole: bool, streams: dict[str, str] | None = None) -> None:
        super().__init__()
        self.architecture, self.whole, self.streams = a, whole, streams or {}
        main = a.main
        self.tables = None
        self.members = nn.ModuleList(Model(m.architecture, whole=whole, streams=m.streams) for m in a.members)
        if a.members:
            held = [s.model_copy(update={"stream": m.streams.get(s.stream, s.stream)}) for m in a.members for s in m.architecture.stacks]
            towers = [s for s in a.stacks if s not in held]
            self.stacks, self.head = nn.ModuleList(StackModule(s, whole=whole, table=None) for s in towers), None
            read = [s.stream for s in (towers or a.stacks) if s.stream in TOWERS]
            between = read[-1] if read else "memory"
            self.projections = nn.ModuleList(ProjectionWeights(p, Site(between, None, main.hidden_size)) for p in a.projections)
            return
        if a.embedding is not None:
            self.tables = Tables(a.embedding, Site(a.embedding.streams[0], None, main.hidden_size), main.hidden_size)
        table = None if self.tables is None else self.tables.table
        self.stacks = nn.ModuleList(
            StackModule(stack, whole=whole, table=table, stream=self.streams.get(stack.stream)) for stack in a.stacks
        )
        self.projections = nn.ModuleList(ProjectionWeights(p, Site(main.stream, None, main.hidden_size)) for p in a.projections)
        self.head = HeadModule(a, table)

    def tensors(self) -> list[Mark]:
        """Every tensor, and every further place of a tied one. A stack that is one bucket says so of all its own."""
        if self.members:
            each = zip(self.members, self.architecture.members, strict=True)
            inside = [replace(m, stream=said.streams.get(m.stream, m.stream)) for model, said in each for m in model.tensors()]
            return inside + marks(self.projections) + self._of_stacks()
        out = [*(marks(self.tables) if self.tables is not None else []), *marks(self.projections), *marks(self.head)]
        return out + self._of_stacks() + _repeat(self.head)

    def _of_stacks(self) -> list[Mark]:
        out: list[Mark] = []
        for stack in self.stacks:
            own = [*marks(stack), *stack.repeats, *_repeat(stack.tables)]
            component = stack.stack.component
            out += own if component is None else [replace(m, role=f"{component}.{m.role.partition('.')[2]}") for m in own]
        return out

    def parameter_total(self) -> int:
        """Parameters of the whole model, tied ones once, buffers not: each layer as often as it stands for."""
        return sum(
            prod(m.shape) * m.count * (1 if m.layers is None else len(m.layers))
            for m in self.tensors()
            if m.kind != "buffer" and not m.tied
        )

    def forward(self, ids: torch.Tensor, run: Pass | None = None, source: torch.Tensor | None = None) -> torch.Tensor:
        """Token ids `[B, n]` -> scores `[B, n, V]`.

        `source` `[B, m]` are the ids that a decoder's encoder reads in the first pass.
        """
        run = Pass() if run is None else run
        run.batch, run.new = ids.shape
        if source is not None:
            run.source = source.shape[1]
        if not run.past:
            self._given(ids if source is None else source, run)
        run.times = 1
        with run.counted(1):
            for weights in self.projections:
                weights.multiply(run)
        if self.head is None:
            return self._speaking()(ids, run, source)
        main = self.main
        with run.counted(1):
            x = run.saw("embedding", self.embedded(ids, main, run))
        for stack in self.stacks:
            if stack.stack.stream == main.stack.stream:
                x = stack(fitted(x, stack.stack.hidden_size), run)
        if main.stack.padding is not None:
            x = x[:, : run.vectors(self.architecture.head.stream)]
        with run.counted(1):
            return self.head(run.saw("final_norm", fitted(x, main.stack.hidden_size)), run)

    @property
    def main(self) -> StackModule:
        """The stack that the head reads."""
        found: StackModule = next(s for s in self.stacks if s.stack is self.architecture.main)
        return found

    def _speaking(self) -> Model:
        """The member that takes the tokens. Raises NotImplementedError where none is a language model."""
        for member in self.members:
            if member.called in ("text", "decoder"):
                found: Model = member
                return found
        raise NotImplementedError("a model whose members take no token ids")

    @property
    def called(self) -> str:
        """Whose tokens the main stack reads, in the words of the whole."""
        stream = self.architecture.main.stream
        return self.streams.get(stream, stream)

    def _given(self, source: torch.Tensor, run: Pass) -> None:
        """What the other stream and the towers hand on, once, before the first tokens pass."""
        for member in self.members:
            run.streams = member.streams
            if member.called == "encoder":
                run.memory = run.saw("memory", member.encoded(member.main, source, run))
                member._finished(run.memory, run)
            elif member.called in TOWERS:
                member._towers(run)
                member._finished(run.given[member.called], run)
        run.streams = {}
        self._towers(run)
        if self.head is not None and self.called != "encoder":
            for encoder in self.stacks:
                if encoder.stack.stream == "encoder":
                    run.memory = run.saw("memory", self.encoded(encoder, source, run)[:, : run.source or source.shape[1]])

    def _finished(self, x: torch.Tensor, run: Pass) -> None:
        """What a member does with its own stack's result, as it would alone; the whole reads the stack."""
        see, run.see, run.times = run.see, None, 1
        with run.counted(1):
            for weights in self.projections:
                weights.multiply(run)
            if self.head is not None:
                self.head(fitted(x, self.main.stack.hidden_size), run)
        run.see = see

    def _towers(self, run: Pass) -> None:
        """Stacks over images and sound, of which only the products are known: on `meta`."""
        for tower in self.stacks:
            stream = self.streams.get(tower.stack.stream, tower.stack.stream)
            if stream in TOWERS:
                weight = next(tower.parameters())
                run.given[stream] = tower(weight.new_zeros(run.batch, run.vectors(stream), tower.stack.hidden_size), run)

    def encoded(self, encoder: StackModule, source: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, source] ids -> [B, source, d], without what a pass over tokens knows of positions and padding."""
        padding, run.padding = run.padding, run.source_padding
        positions, run.positions = run.positions, None
        with run.counted(1):
            x = run.saw("source_embedding", self.embedded(source, encoder, run))
        out: torch.Tensor = encoder(x, run)
        run.padding, run.positions = padding, positions
        return out

    def embedded(self, ids: torch.Tensor, stack: StackModule, run: Pass) -> torch.Tensor:
        """[B, n] -> [B, n, d]: from the stack's own table, else from the model's."""
        held = [t for t in (stack.tables, self.tables) if t is not None]
        if not any(t.lookup() is not None for t in held) and ids.is_meta:
            return ids.new_zeros(*ids.shape, stack.stack.hidden_size, dtype=next(stack.parameters()).dtype)
        owner = next((t for t in held if t.lookup() is not None), held[-1])
        table = owner.lookup()
        if table is None:
            raise ValueError("no table of token vectors")
        x = table[ids]
        x = x * owner.embedding.multiplier if owner.embedding.multiplier != 1.0 else x
        for tables in held:
            x = tables.vectors(x, run)
        if stack.norm_is_narrow:
            x = norms.apply(stack.embedding_norm, x)
        for tables in held:
            x = tables.mapped(x)
        return fitted(x, stack.stack.hidden_size)


def _repeat(module: Any) -> list[Mark]:
    mark = getattr(module, "repeat", None)
    return [] if mark is None else [mark]


def build(a: Architecture, *, whole: bool = False, device: str = "meta", dtype: torch.dtype = torch.float32) -> Model:
    """The modules of an architecture.

    `whole`: every layer, as needed to run it; else one layer a kind of block, whose numbers are multiplied: on `meta` a model of any size
    costs no memory. Weights are zeros until `initialise`. Kinds without a module here are left out (see `runnable.unbuilt`).
    """
    with torch.device(device):
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            return Model(a, whole=whole).eval()
        finally:
            torch.set_default_dtype(before)
