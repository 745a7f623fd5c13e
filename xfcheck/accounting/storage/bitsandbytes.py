"""bitsandbytes: NF4 and FP4 with a scale every 64 (QLoRA, arXiv 2305.14314), 8 bits with a scale a row (LLM.int8(), arXiv 2208.07339)."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names

BLOCK, NESTED = 64, 256


def scheme(config: dict[str, Any]) -> Scheme:
    """Four bits: `weight` of half bytes, `absmax` every 64 in 32 bits, a map of 16.

    Doubly quantised: `absmax` in 8 bits, a scale of every 256 of them in 32, a map of 256 more.
    Each matrix also has a JSON text of some 80 to 180 bytes that is not counted here.
    """
    four = config.get("load_in_4bit", config.get("_load_in_4bit"))
    double = bool(config.get("bnb_4bit_use_double_quant"))
    patterns = names(config.get("llm_int8_skip_modules"))
    tensor = (_double if double else _single) if four else _eight
    return Scheme("bitsandbytes", tensor, keeper(patterns, beginning_or_end), patterns=patterns, checked=bool(four))


def _single(out: int, inner: int, biased: bool) -> Tensor:
    half, scales = -(-out * inner // 2), -(-out * inner // BLOCK)
    return Tensor(half + scales + 16, half + 4 * (scales + 16))


def _double(out: int, inner: int, biased: bool) -> Tensor:
    half, scales = -(-out * inner // 2), -(-out * inner // BLOCK)
    nested = -(-scales // NESTED)
    return Tensor(half + scales + nested + 16 + 256, half + scales + 4 * (nested + 16 + 256))


def _eight(out: int, inner: int, biased: bool) -> Tensor:
    """`weight` in 8 bits, `SCB` `[out]` in 32, `weight_format` of one byte."""
    return Tensor(out * inner + out + 1, out * inner + 4 * out + 1)
