"""NVIDIA Model Optimizer: FP8 with scalars, NVFP4 with 8-bit scales every 16 (hf_quant_config.json, or the same in config.json)."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import glob, keeper, names


def fp8(out: int, inner: int, biased: bool) -> Tensor:
    """`weight` in 8 bits, `weight_scale` and `input_scale`, 32-bit scalars."""
    return Tensor(out * inner + 2, out * inner + 8)


def nvfp4(out: int, inner: int, biased: bool) -> Tensor:
    """`weight` `[out, in / 2]`, `weight_scale` `[out, in / 16]` in 8 bits, `weight_scale_2` and `input_scale`, 32-bit scalars."""
    half, scales = out * -(-inner // 2), out * -(-inner // 16)
    return Tensor(half + scales + 2, half + scales + 8)


def scheme(config: dict[str, Any]) -> Scheme | None:
    """By `quant_algo`. Null for mixed precision."""
    tensor = {"FP8": fp8, "NVFP4": nvfp4}.get(str(config.get("quant_algo")))
    if tensor is None:
        return None
    patterns = names(config.get("exclude_modules")) + names(config.get("ignore"))
    cached = 2 if str(config.get("kv_cache_quant_algo")) == "FP8" else 0
    return Scheme("modelopt", tensor, keeper(patterns, glob), patterns=patterns, extra_per_cache=cached)
