"""The formats of MLX (ml-explore/mlx-lm).

Affine groups with 16-bit scales and offsets, and the microscaling modes; embedding and head are quantised too.
"""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor


def scheme(config: dict[str, Any]) -> Scheme | None:
    """`weight` `[out, in * bits / 32]` in 32-bit words; `scales` and `biases` `[out, in / g]` in 16 bits, or 8-bit `scales` alone.

    Null with exceptions by path.
    """
    if any(isinstance(value, (dict, bool)) for value in config.values()):
        return None
    bits, group, mode = int(config["bits"]), int(config["group_size"]), str(config.get("mode", "affine"))
    affine = mode == "affine"
    if not affine and mode not in ("mxfp4", "nvfp4", "mxfp8"):
        return None

    def tensor(out: int, inner: int, biased: bool) -> Tensor:
        words, groups = out * -(-inner * bits // 32), out * -(-inner // group)
        return Tensor(words + (2 * groups if affine else groups), 4 * words + (4 * groups if affine else groups))

    return Scheme("mlx", tensor, lambda name: False, embeddings=True, checked=affine)
