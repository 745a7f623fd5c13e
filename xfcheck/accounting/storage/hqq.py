"""Half-quadratic quantisation (transformers 5.24, integrations/hqq.py); the layout is not held to a file."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names


def scheme(config: dict[str, Any]) -> Scheme | None:
    """`W_q` of packed bytes, `scale` and `zero` a group in 16 bits. Null for three bits and for settings by layer."""
    settings = config.get("quant_config", {}).get("weight_quant_params", config)
    bits, group = int(settings["nbits"]), int(settings["group_size"])
    if bits not in (1, 2, 4, 8):
        return None

    def tensor(out: int, inner: int, biased: bool) -> Tensor:
        packed, groups = -(-out * inner * bits // 8), -(-out * inner // group)
        return Tensor(packed + 2 * groups, packed + 4 * groups)

    patterns = names(config.get("skip_modules"))
    return Scheme("hqq", tensor, keeper(patterns, beginning_or_end), patterns=patterns, checked=False)
