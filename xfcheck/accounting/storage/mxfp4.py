"""MXFP4 of gpt-oss: the experts' matrices as blocks of 32 four-bit values with an 8-bit scale (OCP Microscaling Formats 1.0)."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names


def tensor(out: int, inner: int, biased: bool) -> Tensor:
    """`*_blocks` `[out, in / 32, 16]` and `*_scales` `[out, in / 32]`, bytes both; biases stay as they are."""
    weights = out * inner
    return Tensor(weights // 2 + weights // 32, weights // 2 + weights // 32)


def scheme(config: dict[str, Any]) -> Scheme:
    """Experts alone are quantised."""
    patterns = names(config.get("modules_to_not_convert"))
    return Scheme("mxfp4", tensor, keeper(patterns, beginning_or_end), only=("experts",), patterns=patterns)
