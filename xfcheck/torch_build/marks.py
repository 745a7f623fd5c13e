"""What a parameter of a built model is: the same five words that a row of the ledger has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet


@dataclass(frozen=True)
class Mark:
    """A tensor of a built model.

    `stream`: whose tokens pass; `layers`: the layers that hold the like (null: it is in none); `role`: `component.part`; `shape`: of one
    tensor; `uses`: how often one token meets it; `count`: how many tensors the parameter stands for (the experts that a checkpoint stores
    apart); `multiplies`: whether tokens are multiplied by it; `kind`: parameter, buffer or unsaved; `tied`: the tensor is another part's.
    """

    stream: str
    layers: LayerSet | None
    role: str
    shape: tuple[int, ...]
    uses: int = 1
    count: int = 1
    multiplies: bool = False
    kind: str = "parameter"
    tied: bool = False


@dataclass(frozen=True)
class Site:
    """Where a module stands: its stream and layers, the width of the residual stream there, the bucket of its weights, its uses a token."""

    stream: str
    layers: LayerSet | None
    hidden: int
    component: str = "other"
    uses: int = 1

    def at(self, component: str) -> Site:
        """The same place, another bucket."""
        return replace(self, component=component)

    def over(self, stream: str) -> Site:
        """The same place, another stream's tokens."""
        return replace(self, stream=stream)


class Weighted(nn.Module):
    """A module that says of each of its own tensors what it is (`marks`: attribute -> Mark)."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site
        self.marks: dict[str, Mark] = {}

    def tensor(
        self,
        part: str,
        shape: tuple[int, ...],
        *,
        component: str | None = None,
        multiplies: bool = False,
        kind: str = "parameter",
        count: int = 1,
    ) -> nn.Parameter:
        """Make and register a tensor `[*shape]` (`[count, *shape]` for several of a kind).

        Weights start at N(0, 1/fan-in), see `initialise`.
        """
        whole = (count, *shape) if count > 1 else shape
        parameter = nn.Parameter(torch.zeros(whole), requires_grad=False)
        name = f"w_{part.replace('.', '_')}"
        if hasattr(self, name):
            raise ValueError(f"two tensors of one module are called {part!r}")
        self.register_parameter(name, parameter)
        self.marks[name] = Mark(
            self.site.stream,
            self.site.layers,
            f"{component or self.site.component}.{part}",
            tuple(shape),
            self.site.uses,
            count,
            multiplies,
            kind,
        )
        return parameter


class Linear(Weighted):
    """`x W^T + b`: W `[out, in]`, b `[out]`, called `part` and `part_bias`."""

    def __init__(self, site: Site, part: str, out: int, into: int, *, bias: bool = False) -> None:
        super().__init__(site)
        self.weight = self.tensor(part, (out, into), multiplies=True)
        self.bias = self.tensor(f"{part}_bias", (out,)) if bias else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[..., in] -> [..., out]."""
        return torch.nn.functional.linear(x, self.weight, self.bias)


def marks(module: nn.Module) -> list[Mark]:
    """The marks of every module inside, a module that stands in several places once."""
    return [mark for inner in module.modules() if isinstance(inner, Weighted) for mark in inner.marks.values()]


def fitted(x: torch.Tensor, width: int | None) -> torch.Tensor:
    """`[..., d]` as it is, or on `meta` as wide as its reader asks: what is joined to or taken from the stream is not known here.

    Raises NotImplementedError elsewhere.
    """
    if width is None or x.shape[-1] == width:
        return x
    if not x.is_meta:
        raise NotImplementedError(f"a part that reads {width} numbers of a stream of {x.shape[-1]}")
    return x.new_zeros(*x.shape[:-1], width)
