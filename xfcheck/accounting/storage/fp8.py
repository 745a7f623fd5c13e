"""FP8 of transformers and DeepSeek: blocks or tensors with a scale.

Blocks with a 32-bit inverse scale, or one scale a tensor (transformers 5.24, quantizers/quantizer_finegrained_fp8.py).
"""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names

NEVER = ("indexer_weights",)
"""The map to the weights of the indexer's heads stays in 16 bits (DeepSeek-V3.2: its published count has no scales of it)."""


def scheme(config: dict[str, Any]) -> Scheme | None:
    """`weight` `[out, in]` in 8 bits, `weight_scale_inv` `[ceil(out / b), ceil(in / b)]` in 32. Null where experts have another format."""
    if config.get("expert_dtype") or config.get("config_groups"):
        return None
    block = config.get("weight_block_size")
    static = 1 if config.get("activation_scheme") == "static" else 0
    if block is not None:
        rows, columns = (int(b) for b in block)
        if min(rows, columns) < 1:
            raise ValueError(block)

    def tensor(out: int, inner: int, biased: bool) -> Tensor:
        scales = 1 if block is None else -(-out // rows) * -(-inner // columns)
        return Tensor(out * inner + scales + static, out * inner + 4 * (scales + static))

    patterns = names(config.get("modules_to_not_convert")) + names(config.get("ignored_layers"))
    return Scheme("fp8", tensor, keeper(patterns, beginning_or_end), unties=True, patterns=patterns, never=NEVER)
