"""The mixers of an architecture, with how many layers hold each alike."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ..architecture.blocks import Block, Stack
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer


class Placed(NamedTuple):
    """A mixer in `layers` layers of a stack, each applied `uses` times; `count` applications in all."""

    mixer: Mixer
    stack: Stack
    block: Block

    @property
    def count(self) -> int:  # type: ignore[override]
        """How many times the mixer is applied to a token on its way through the stack."""
        return len(self.block.layers) * self.block.uses

    @property
    def caches(self) -> int:
        """How many caches these applications fill."""
        return len(self.block.layers) * (self.block.uses if self.block.caches is None else self.block.caches)


def mixers(a: Architecture) -> Iterator[Placed]:
    """Every mixer of every block."""
    for stack in a.stacks:
        for block in stack.blocks:
            for sublayer in block.sublayers:
                for mixer in sublayer.mixers:
                    yield Placed(mixer, stack, block)


@lru_cache(maxsize=64)
def arithmetic(kind: str) -> ModuleType:
    """The module of `accounting.mixers` for a kind, imported on first use."""
    return import_module(f"{__package__}.mixers.{kind}")
