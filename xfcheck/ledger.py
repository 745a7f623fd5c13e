"""The ledger: every tensor of a checkpoint as rows, one row for all layers and experts that hold the like.

A number about weights is a fold over these rows. `role` decides what a row is (its bucket, whether tokens are multiplied by it);
no name is ever looked into.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .architecture.layers import LayerSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COMPONENTS = (
    "token_embedding", "position_embedding", "attention", "cross_attention", "linear_attention", "ssm", "convolution", "mlp",
    "experts", "shared_experts", "router", "norm", "head", "projector", "vision", "audio", "other",
)  # fmt: skip
"""The buckets of `parameters.by_component`; every parameter is in exactly one."""

Kind = Literal["parameter", "buffer", "not_loaded", "unsaved"]


class Role(NamedTuple):
    """What a tensor is for: its component, its part in it, and whether tokens are multiplied by it (2 FLOPs an element and token)."""

    component: str
    part: str
    multiplies: bool

    def __str__(self) -> str:
        return f"{self.component}.{self.part}"


@lru_cache(maxsize=1024)
def role(component: str, part: str, multiplies: bool = False) -> Role:
    """The role of that component and part. Raises ValueError for a component that is no bucket."""
    if component not in COMPONENTS:
        raise ValueError(f"{component!r} is none of {', '.join(COMPONENTS)}")
    return Role(component, part, multiplies)


class Row(NamedTuple):
    """Alike tensors: one a layer of `layers` and an expert below `experts`.

    `name` is the checkpoint's, `module` transformers' where it differs; their only placeholders are `{layer}` and `{expert}`. `shape`
    is as stored, without `padding`. `dtype` null is the model's own. `stream` says whose tokens pass: text, encoder, decoder, cross
    (the source, once), latent (all cached tokens), pooled (one a sequence), absent, image, audio, or any that `accounting.flops` knows.
    `uses` is how often one token meets one of these tensors. `active` is (k, E): k of every E of its elements serve a token; `every`:
    the reference multiplies a token by all E all the same. `tied_to` names the row that is the same tensor. `kind`: a parameter, a
    buffer that is saved, `not_loaded` (in checkpoints alone), `unsaved` (a parameter that the model makes anew, in no checkpoint).
    `module_axis` is the axis along which rows of one `module` are joined (the fuse step). `kept`, of the stream latent: the most tokens
    that the cache holds between passes. `split` are the modules that one tensor of the checkpoint is cut over along its first axis,
    evenly unless `split_sizes` says otherwise. `transposed`: a matrix that is stored [in, out]. `padding`: rows of zeros that a
    checkpoint has after those of `shape`, no parameters; a loader drops them. `module_shift`: the module's layer number less the
    checkpoint's. `module_view`: the shape in which a module sees the joined tensors.
    """

    name: str
    shape: tuple[int, ...]
    role: Role
    layers: LayerSet | None = None
    experts: int | None = None
    dtype: str | None = None
    stream: str = "text"
    uses: int = 1
    active: tuple[int, int] | None = None
    every: bool = False
    tied_to: str | None = None
    kind: Kind = "parameter"
    module: str | None = None
    module_axis: int = 0
    split: tuple[str, ...] = ()
    split_sizes: tuple[int, ...] = ()
    kept: int | None = None
    transposed: bool = False
    padding: int = 0
    module_shift: int = 0
    module_view: tuple[int, ...] = ()

    @property
    def tensors(self) -> int:
        """How many tensors the row stands for."""
        return (1 if self.layers is None else len(self.layers)) * (self.experts or 1)

    @property
    def elements(self) -> int:
        """Elements of all of them together."""
        return prod(self.shape) * self.tensors

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape in a checkpoint, padding included."""
        return (self.shape[0] + self.padding, *self.shape[1:]) if self.padding else self.shape

    @property
    def stored_elements(self) -> int:
        """Elements of all of them in a checkpoint, padding included."""
        return prod(self.stored_shape) * self.tensors

    @property
    def counted(self) -> bool:
        """Whether it is a parameter of its own: not a buffer, not loaded from nowhere, not another row's tensor."""
        return self.kind in ("parameter", "unsaved") and self.tied_to is None

    @property
    def stored(self) -> bool:
        """Whether a checkpoint holds it and a model loads it: not another row's tensor, not one that is made anew or left out."""
        return self.kind in ("parameter", "buffer") and self.tied_to is None


_LAYERS = Row._fields.index("layers")


def merge(rows: Iterable[Row]) -> list[Row]:
    """Rows that differ in their layers alone become one, in order of first appearance."""
    alike: dict[tuple[Any, ...], tuple[Row, list[LayerSet]]] = {}
    for row in rows:
        _, layers = alike.setdefault(row[:_LAYERS] + row[_LAYERS + 1 :], (row, []))
        if row.layers is not None:
            layers.append(row.layers)
    return [row if len(layers) < 2 else row._replace(layers=LayerSet.union(layers)) for row, layers in alike.values()]


def expand(rows: Iterable[Row]) -> Iterator[tuple[str, Row]]:
    """Every tensor by its full name, with the row it belongs to. Grows with layers and experts: for comparing, not for counting."""
    for row in rows:
        for layer in [None] if row.layers is None else row.layers:
            name = row.name if layer is None else row.name.replace("{layer}", str(layer))
            if row.experts is None:
                yield name, row
                continue
            for expert in range(row.experts):
                yield name.replace("{expert}", str(expert)), row


def modules(rows: Iterable[Row]) -> list[Row]:
    """The rows under the names of transformers' modules.

    The fuse step: rows of one `module` name are joined along `module_axis` (gate above up), and the tensors of all experts are stacked in
    front: `[experts, joined, in]`. Numbered pieces of one module (their names have the placeholder, its has none) are joined along
    `module_axis` too. Tensors that are not loaded are in no module, and one that is applied again under its own name is one module.
    """
    rows = list(rows)
    named = {row.name: row.module for row in rows if row.module is not None}
    out: dict[tuple[str, str], Row] = {}
    for stored in rows:
        if stored.kind == "not_loaded" or stored.tied_to == stored.name:
            continue
        row = stored._replace(tied_to=named[stored.tied_to]) if stored.tied_to in named else stored
        row = row._replace(padding=0)
        if row.module_shift and row.layers is not None:
            row = row._replace(layers=row.layers.shifted(row.module_shift), module_shift=0)
        if row.split:
            sizes = row.split_sizes or (row.shape[0] // len(row.split),) * len(row.split)
            for part, size in zip(row.split, sizes, strict=True):
                out[part, str(row.layers)] = row._replace(name=part, shape=(size, *row.shape[1:]), module=None, split=(), split_sizes=())
            continue
        name = row.module or row.name
        shape = row.shape
        if row.layers is not None and row.module is not None and "{layer}" in row.name and "{layer}" not in name:
            axis = row.module_axis
            shape = (*shape[:axis], shape[axis] * len(row.layers), *shape[axis + 1 :])
            row = row._replace(shape=shape, layers=None)
        key = (name, str(row.layers))
        if key in out:
            axis = row.module_axis + (1 if row.experts else 0)
            held = list(out[key].shape)
            held[axis] += shape[row.module_axis]
            out[key] = out[key]._replace(shape=tuple(held))
            continue
        fused = row.experts is not None and "{expert}" not in name
        if fused and row.experts is not None:
            shape = (row.experts, *shape)
        out[key] = row._replace(name=name, module=None, shape=shape, experts=None if fused else row.experts)
    return [row._replace(shape=row.module_view, module_view=()) if row.module_view else row for row in out.values()]


def total(rows: Iterable[Row]) -> int:
    """Parameters, each tensor once: what `sum(p.numel() for p in model.parameters())` gives."""
    return sum(row.elements for row in rows if row.counted)
