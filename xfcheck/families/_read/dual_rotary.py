"""Rotary positions with one base for layers that see everything and another for windowed ones (Gemma 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .rotary import rotary
from .settings import Settings
from .windows import FULL, SLIDING

if TYPE_CHECKING:
    from ...architecture.positions.rotary import Rotary

NAMED = {FULL: "global", SLIDING: "local"}
"""Kind of layer -> its key in a class's pair of default bases."""


def dual_rotary(c: Settings, width: int, kind: str, *, keys: dict[str, str], scaled: tuple[str, ...] = (FULL,)) -> Rotary:
    """The positions of a layer of that kind.

    `rope_parameters` is nested by kind; a flat one is not read. `keys`: where an older file keeps the base of a kind; its `rope_scaling`
    holds for the kinds of `scaled`.
    """
    block = c.raw("rope_parameters", noted=False)
    nested = block.get(kind) if isinstance(block, dict) else None
    found: dict[str, Any] = dict(nested) if isinstance(nested, dict) else {}
    scaling = c.raw("rope_scaling", noted=False)
    if kind in scaled and isinstance(scaling, dict):
        found.update(scaling)
    if kind in keys and c.has(keys[kind]):
        found.setdefault("rope_theta", c.raw(keys[kind], noted=False))
    default = None if c.table is None else c.table.default_theta
    found.setdefault("rope_theta", default.get(NAMED.get(kind, "global")) if isinstance(default, dict) else default)
    return rotary(Settings({"rope_parameters": found}, None, pointer=c.pointer, reading=c.reading), width)
