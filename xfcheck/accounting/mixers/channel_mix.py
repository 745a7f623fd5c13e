"""RWKV's channel mixing: weight matrices alone, and the last token kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.rwkv import ChannelMix
    from ..run import Run


def work(spec: ChannelMix, run: Run, stream: str) -> Work:
    """Nothing beyond the ledger's matrices."""
    return NOTHING


def holds(spec: ChannelMix, stream: str) -> list[Held]:
    """The last token in the cache's dtype."""
    return [Held("conv", constant=spec.width)]
