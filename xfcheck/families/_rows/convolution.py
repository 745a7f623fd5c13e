"""Rows of a depthwise convolution inside a mixer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ledger import Row
    from .place import Place

THIRDS = ("query_conv", "key_conv", "value_conv")


def depthwise(at: Place, channels: int, kernel: int, *, bias: bool = False, component: str = "ssm", thirds: bool = False) -> Iterator[Row]:
    """One filter of `kernel` taps a channel: `[channels, 1, kernel]`.

    `thirds`: as a saved checkpoint cuts it in three along the channels (torch.chunk: the first ones are the larger where three do not
    divide them); rows of one module.
    """
    if thirds:
        each = -(-channels // 3)
        for number, part in enumerate(THIRDS):
            held = min(each, channels - number * each)
            if held > 0:
                yield from at.vector(part, held, 1, kernel, component=component)
        return
    yield from at.vector("conv", channels, 1, kernel, component=component)
    if bias:
        yield at.row("conv", (channels,), ending=".bias", suffix="_bias", component=component)
