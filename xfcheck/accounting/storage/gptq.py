"""GPTQ (Frantar et al. 2022, arXiv 2210.17323), as AutoGPTQ and GPTQModel write it: packed along the input."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import beginning_or_end, keeper, names


def scheme(config: dict[str, Any]) -> Scheme:
    """`qweight` `[in * bits / 32, out]`, `qzeros` `[ceil(in / g), out * bits / 32]`, `g_idx` `[in]`: 32 bits.

    `scales` `[ceil(in / g), out]` in 16 bits.
    A bias of zeros is written where the model has none.
    """
    bits, group = int(config["bits"]), int(config.get("group_size", -1))

    def tensor(out: int, inner: int, biased: bool) -> Tensor:
        groups = 1 if group < 1 else -(-inner // group)
        words, zeros, scales = -(-inner * bits // 32) * out, groups * -(-out * bits // 32), groups * out
        added = 0 if biased else out
        return Tensor(words + zeros + scales + inner + added, 4 * (words + zeros + inner) + 2 * (scales + added), added)

    patterns = names(config.get("modules_to_not_convert"))
    return Scheme("gptq", tensor, keeper(patterns, beginning_or_end), unties=True, patterns=patterns)
