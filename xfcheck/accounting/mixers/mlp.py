"""A feed-forward network: weight matrices alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.part import Mixer
    from ..run import Run


def work(spec: Mixer, run: Run, stream: str) -> Work:
    """Nothing beyond the ledger's matrices."""
    return NOTHING


def holds(spec: Mixer, stream: str) -> list[Held]:
    """Nothing."""
    return []
