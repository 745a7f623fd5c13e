"""Residual streams beside the one that a layer reads: hyper-connections."""

from __future__ import annotations

from ...architecture.blocks import Projection


def hyper_connection(name: str, streams: int, hidden: int, outputs: int, scales: int) -> list[Projection]:
    """The map from all streams to what mixes them, in 32 bits: `fn` [outputs, streams * hidden], `base` [outputs], `scale` [scales]."""
    return [
        Projection(name=f"{name}_fn", shape=[outputs, streams * hidden], dtype="float32"),
        Projection(name=f"{name}_base", shape=[outputs], multiplies=False, dtype="float32"),
        Projection(name=f"{name}_scale", shape=[scales], multiplies=False, dtype="float32"),
    ]
