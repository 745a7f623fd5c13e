"""Widths of dtypes, as exact fractions of a byte."""

from __future__ import annotations

from fractions import Fraction

WIDTHS: dict[str, Fraction] = {
    "float64": Fraction(8), "int64": Fraction(8), "float32": Fraction(4), "int32": Fraction(4), "float16": Fraction(2),
    "bfloat16": Fraction(2),
    "int16": Fraction(2), "float8_e4m3fn": Fraction(1), "float8_e5m2": Fraction(1), "int8": Fraction(1), "uint8": Fraction(1),
    "bool": Fraction(1),
    "q8_0": Fraction(34, 32), "q5_1": Fraction(24, 32), "q5_0": Fraction(22, 32), "q4_1": Fraction(20, 32), "q4_0": Fraction(18, 32),
    "iq4_nl": Fraction(18, 32),
    "int4": Fraction(1, 2), "fp4": Fraction(1, 2),
}  # fmt: skip
"""Bytes an element. The q*_* are GGML blocks of 32 values with their scales (ggml-common.h)."""

SHORT = {
    "bf16": "bfloat16", "fp16": "float16", "f16": "float16", "half": "float16", "fp32": "float32", "f32": "float32", "float": "float32",
    "fp64": "float64",
    "fp8": "float8_e4m3fn", "fp8_e4m3": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2", "f64": "float64", "double": "float64",
}  # fmt: skip
"""Short names, as flags and engines spell them -> torch's names."""


def full_name(name: str) -> str | None:
    """The name in torch of a dtype given in any spelling (`torch.bfloat16`, `bf16`), null for none known."""
    plain = name.removeprefix("torch.").lower()
    plain = SHORT.get(plain, plain)
    return plain if plain in WIDTHS else None


def size(elements: int, dtype: str) -> int:
    """Bytes of that many elements, blocks rounded up. Raises KeyError for an unknown dtype."""
    width = WIDTHS[dtype]
    return -(-elements * width.numerator // width.denominator)
