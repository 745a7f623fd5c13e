"""Which file of this folder reads which model type."""

from __future__ import annotations

import functools
import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings


class Family(Protocol):
    """What a module of this folder offers."""

    MODEL_TYPES: tuple[str, ...]

    @staticmethod
    def architecture(c: Settings) -> Architecture:
        """Config keys to architecture. Raises Refused where no model can be built."""

    @staticmethod
    def ledger(a: Architecture) -> list[Row]:
        """Architecture to rows."""


@functools.cache
def index() -> dict[str, str]:
    """model_type -> module name, from the generated `_index.json` (scripts/family_index.py)."""
    found: dict[str, str] = json.loads(Path(__file__).with_name("_index.json").read_bytes())
    return found


def family(model_type: object) -> Family | None:
    """The module that reads a model type, null for one that none reads. The type is looked up, never imported by its own name."""
    name = index().get(model_type) if isinstance(model_type, str) else None
    return None if name is None else cast("Family", import_module(f"{__package__}.{name}"))
