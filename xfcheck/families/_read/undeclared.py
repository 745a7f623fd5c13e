"""Keys a class does not declare and something still obeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.layers import LayerSet
from .layers import listed

if TYPE_CHECKING:
    from .settings import Settings


def cache_window(c: Settings) -> int | None:
    """The window that the default cache of transformers 5.24 obeys in a class that does not window its attention, null where none.

    `DynamicCache` reads `sliding_window` and `layer_types` off any config (cache_utils.py): an undeclared window truncates what is kept.
    """
    if c.table is not None and c.table.declares("sliding_window"):
        return None
    window = c.data.get("sliding_window")
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        return None
    kinds = c.data.get("layer_types")
    if isinstance(kinds, list) and kinds and "sliding_attention" not in kinds:
        return None
    return window


def cached(c: Settings, layers: int) -> dict[int | None, LayerSet]:
    """What the default cache of transformers 5.24 keeps of a class without `layer_types` of its own: `Attention.kept_tokens` -> layers.

    `get_layer_types_and_kwargs` (cache_utils.py) takes `layer_types` off any config, then `sliding_window`, then `attention_chunk_size`;
    the masks of such a class do not. Null: as the mask says (and where no cache can be made: a sliding layer without a window). 0:
    everything, on a layer that the class windows and the file calls full.
    """
    whole = LayerSet.first(layers)
    window, chunk = c.raw("sliding_window", noted=False), c.data.get("attention_chunk_size")
    windowed = c.table is not None and c.table.declares("sliding_window") and window is not None
    kinds = c.data.get("layer_types")
    if not isinstance(kinds, list):
        return {(None if windowed else _window(window) or _window(chunk)): whole}
    out: dict[int | None, LayerSet] = {}
    for kind, held in (listed(c, layers) or {"full_attention": whole}).items():
        value = {"sliding_attention": window, "chunked_attention": chunk}.get(kind)
        kept = _window(value) or (0 if windowed else None)
        out[kept] = LayerSet.union([out[kept], held]) if kept in out else held
    return out


def _window(value: object) -> int | None:
    """The value where it is a usable window."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None
