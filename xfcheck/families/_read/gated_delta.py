"""The gated delta rule from the `linear_*` keys that its models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ...architecture.mixers.gated_delta import GatedDelta
from ...architecture.norm import Norm
from .hybrid import FULL, LINEAR
from .layers import every, listed

if TYPE_CHECKING:
    from ...architecture.layers import LayerSet
    from .settings import Settings


def gated_delta(c: Settings, packing: Literal["grouped", "qkv", "separate", "all"], **changes: Any) -> GatedDelta:
    """The mixer from `linear_num_key_heads`, `linear_key_head_dim` and their like; `changes` are fields that the family sets itself."""
    keys = {
        "key_heads": "linear_num_key_heads",
        "value_heads": "linear_num_value_heads",
        "key_dim": "linear_key_head_dim",
        "value_dim": "linear_value_head_dim",
    }
    sizes: dict[str, Any] = {field: c.int(key) for field, key in keys.items() if field not in changes}
    norm, activation = Norm(eps=c.number("rms_norm_eps")), c.text("hidden_act") or "silu"
    return GatedDelta(**sizes, **changes, kernel=c.int("linear_conv_kernel_dim"), packing=packing, gated_norm=norm, activation=activation)


def kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers by `layer_types`, else full attention each `full_attention_interval`-th (4). Raises Refused XF117 for an interval of 0."""
    named = listed(c, layers, known=(LINEAR, FULL))
    if named is not None:
        return named
    interval = c.optional_int("full_attention_interval", minimum=1)
    if interval is None:
        interval = 4
        c.assume("full_attention_interval", interval, "what the class of transformers 5.24.0 takes where the file gives no layers")
    return every(layers, interval, FULL, LINEAR)
