"""AWQ (Lin et al. 2023, arXiv 2306.00978), version gemm: packed along the output."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names


def scheme(config: dict[str, Any]) -> Scheme | None:
    """`qweight` `[in, out * bits / 32]`, `qzeros` `[in / g, out * bits / 32]` in 32 bits, `scales` `[in / g, out]` in 16.

    Null for other versions.
    """
    if str(config.get("version", "gemm")).lower() != "gemm":
        return None
    bits, group = int(config["bits"]), int(config.get("group_size", -1))

    def tensor(out: int, inner: int, biased: bool) -> Tensor:
        groups = 1 if group < 1 else -(-inner // group)
        row = -(-out * bits // 32)
        return Tensor((inner + groups) * row + groups * out, 4 * (inner + groups) * row + 2 * groups * out)

    patterns = names(config.get("modules_to_not_convert"))
    return Scheme("awq", tensor, keeper(patterns, beginning_or_end), unties=True, patterns=patterns)
