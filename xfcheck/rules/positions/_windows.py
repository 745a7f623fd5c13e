"""Windows of the model's layers, and the keys that give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._context import Context, Scope

KEYS = (
    "sliding_window",
    "sliding_window_size",
    "attention_chunk_size",
    "attention_window",
    "attention_window_size",
    "local_attention",
    "window_size",
)
"""Keys of a window, in tokens."""
WINDOWED = ("sliding", "local", "chunked", "block_sparse")
SLIDING = ("sliding_attention", "hybrid_sliding")
"""Names of windowed layers in `layer_types`."""


def windowed(context: Context) -> set[int]:
    """Windows of the model's layers, none where every layer sees everything."""
    masks = [getattr(mixer, "mask", None) for mixer in context.mixers]
    return {mask.window for mask in masks if mask is not None and mask.kind in WINDOWED and mask.window is not None}


def slides(context: Context) -> bool:
    """Whether any layer of the model has a window of any kind."""
    masks = [getattr(mixer, "mask", None) for mixer in context.mixers]
    return any(mask is not None and mask.kind in WINDOWED for mask in masks)


def listed(scope: Scope) -> list[str]:
    """The names of layers that the file lists."""
    kinds = scope.data.get("layer_types")
    return [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []


def declared(scope: Scope) -> list[str]:
    """The window keys that the class reads."""
    return [key for key in KEYS if scope.table is not None and scope.table.declares(key)]
