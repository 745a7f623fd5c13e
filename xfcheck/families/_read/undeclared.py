"""Keys a class does not declare and something still obeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
