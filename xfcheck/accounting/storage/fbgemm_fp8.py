"""FBGEMM FP8: a 32-bit scale a row (transformers 5.24, quantizers/quantizer_fbgemm_fp8.py)."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names


def tensor(out: int, inner: int, biased: bool) -> Tensor:
    """`weight` `[out, in]` in 8 bits, `weight_scale` `[out, 1]` in 32."""
    return Tensor(out * inner + out, out * inner + 4 * out)


def scheme(config: dict[str, Any]) -> Scheme:
    """Which modules keep their precision is a list of the config."""
    patterns = names(config.get("modules_to_not_convert"))
    return Scheme("fbgemm_fp8", tensor, keeper(patterns, beginning_or_end), patterns=patterns)
