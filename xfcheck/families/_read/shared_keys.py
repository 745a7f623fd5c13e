"""Last layers that reuse the keys and values of earlier ones (Gemma 3n and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.layers import LayerSet

if TYPE_CHECKING:
    from .settings import Settings

OWN, REUSED = "own", "reused"


def sharing(c: Settings, kinds: dict[str, LayerSet], layers: int, *, all_allowed: bool) -> dict[str, LayerSet]:
    """Layers with keys of their own and the last `num_kv_shared_layers`, which take those of the last layer of their kind before.

    Raises Refused where a kind of layer has none before (`all_allowed`: a model that takes every key from another model is fine).
    """
    count = c.int("num_kv_shared_layers", minimum=0, maximum=max(layers, 1))
    first = layers - count
    if not count:
        return {OWN: LayerSet.first(layers)}
    if count == layers and all_allowed:
        return {REUSED: LayerSet.first(layers)}
    lacking = [kind for kind, held in kinds.items() if min(held) >= first]
    if lacking:
        raise c.refuse(
            "num_kv_shared_layers", f"num_kv_shared_layers {count} leaves no {lacking[0]} layer with keys of its own before layer {first}",
            code="XF118", help="fewer shared layers",
        )  # fmt: skip
    return {OWN: LayerSet((range(first),)), REUSED: LayerSet((range(first, layers),))}
