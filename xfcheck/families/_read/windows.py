"""Layers that slide beside layers that see everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.layers import LayerSet
from ...architecture.masks import CAUSAL, Mask
from .layers import listed

if TYPE_CHECKING:
    from .settings import Settings

SLIDING, FULL, CHUNKED = "sliding_attention", "full_attention", "chunked_attention"


def mask_of(c: Settings, kind: str, window: int | None) -> Mask:
    """The mask of a layer of that kind. Raises Refused XF321 for a sliding layer without a window."""
    if kind not in (SLIDING, CHUNKED):
        return CAUSAL
    if window is None:
        raise c.refuse(
            "layer_types",
            f"layer_types has {kind} layers and the window is null",
            code="XF321",
            help="give sliding_window, or full_attention",
        )
    return Mask(kind="sliding" if kind == SLIDING else "chunked", window=window)


def switched(c: Settings, layers: int) -> tuple[dict[str, LayerSet], int | None]:
    """Qwen's rule: `use_sliding_window` false nulls the window; else layers from `max_window_layers` slide.

    `layer_types` has the last word.
    """
    window = c.optional_int("sliding_window") if c.flag("use_sliding_window") else None
    kinds = listed(c, layers)
    if kinds is None:
        first = c.optional_int("max_window_layers") if window is not None else None
        first = layers if first is None else min(first, layers)
        kinds = {FULL: LayerSet((range(first),)), SLIDING: LayerSet((range(first, layers),))}
    return {kind: held for kind, held in kinds.items() if len(held)}, window
