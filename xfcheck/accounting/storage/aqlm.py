"""Additive quantisation (Egiazarian et al. 2024, arXiv 2401.06118); the layout is not held to a file."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names


def scheme(config: dict[str, Any]) -> Scheme:
    """`codes` `[out / og, in / ig, K]` in 8 or 16 bits, `codebooks` `[K, 2^bits, og, ig]` and `scales` `[out / og]` in 16."""
    books, bits = int(config["num_codebooks"]), int(config["nbits_per_codebook"])
    rows, columns = int(config["out_group_size"]), int(config["in_group_size"])

    def tensor(out: int, inner: int, biased: bool) -> Tensor:
        codes, table, scales = -(-out // rows) * -(-inner // columns) * books, books * 2**bits * rows * columns, -(-out // rows)
        return Tensor(codes + table + scales, codes * -(-bits // 8) + 2 * (table + scales))

    patterns = names(config.get("linear_weights_not_to_quantize"))
    return Scheme("aqlm", tensor, keeper(patterns, beginning_or_end), patterns=patterns, checked=False)
