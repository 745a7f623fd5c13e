"""compressed-tensors (vllm-project/compressed-tensors): 8-bit floats and integers, packed integers, NVFP4 and MXFP4."""

from __future__ import annotations

from typing import Any

from . import Scheme, Tensor
from .patterns import exact_or_expression, keeper, names

SCALE = 2
"""Bytes of a scale: the model's 16-bit dtype."""


def scheme(config: dict[str, Any]) -> Scheme | None:
    """The format of the one group of weights. Null for several groups, for targets other than Linear and for an unknown format."""
    groups = list(config["config_groups"].values())
    if len(groups) != 1 or groups[0].get("targets", ["Linear"]) != ["Linear"]:
        return None
    weights, inputs = groups[0]["weights"], groups[0].get("input_activations")
    kind = str(groups[0].get("format") or config.get("format"))
    static = 1 if inputs and not inputs.get("dynamic") else 0
    tensor = {
        "float-quantized": _eight_bits, "int-quantized": _eight_bits, "naive-quantized": _eight_bits, "pack-quantized": _packed,
        "nvfp4-pack-quantized": _nvfp4,
        "mxfp4-pack-quantized": _mxfp4,
    }.get(kind)  # fmt: skip
    if tensor is None:
        return None
    patterns = names(config.get("ignore"))
    checked = kind == "pack-quantized"
    return Scheme(
        "compressed-tensors",
        lambda out, inner, biased: tensor(out, inner, weights, static),
        keeper(patterns, exact_or_expression),
        unties=True,
        patterns=patterns,
        checked=checked,
    )


def _scales(out: int, inner: int, weights: dict[str, Any]) -> int:
    strategy = weights.get("strategy", "tensor")
    if strategy == "group":
        return out * -(-inner // int(weights["group_size"]))
    if strategy == "block":
        rows, columns = weights["block_structure"]
        return -(-out // int(rows)) * -(-inner // int(columns))
    return {"tensor": 1, "channel": out}[strategy]


def _eight_bits(out: int, inner: int, weights: dict[str, Any], static: int) -> Tensor:
    """`weight` in 8 bits, `weight_scale` as the strategy says, `input_scale` where it is static."""
    scales = _scales(out, inner, weights) + static
    return Tensor(out * inner + scales, out * inner + SCALE * scales)


def _packed(out: int, inner: int, weights: dict[str, Any], static: int) -> Tensor:
    """`weight_packed` `[out, in * bits / 32]` in 32-bit words, `weight_scale`, `weight_shape` of two 64-bit numbers.

    Zero points and group indices where asked for.
    """
    bits = int(weights["num_bits"])
    words, scales = out * -(-inner * bits // 32), _scales(out, inner, weights)
    zeros = 0 if weights.get("symmetric", True) else -(-out * bits // 32) * (scales // out)
    indices = inner if weights.get("actorder") == "group" else 0
    return Tensor(words + scales + 2 + zeros + indices, 4 * words + SCALE * scales + 16 + 4 * (zeros + indices))


def _nvfp4(out: int, inner: int, weights: dict[str, Any], static: int) -> Tensor:
    """`weight_packed` `[out, in / 2]`, `weight_scale` `[out, in / 16]` in 8 bits, one 32-bit global scale, another of the input."""
    half, scales = out * -(-inner // 2), out * -(-inner // 16)
    return Tensor(half + scales + 1 + static, half + scales + 4 * (1 + static))


def _mxfp4(out: int, inner: int, weights: dict[str, Any], static: int) -> Tensor:
    """`weight_packed` `[out, in / 2]` and `weight_scale` `[out, in / 32]`, both of bytes."""
    half, scales = out * -(-inner // 2), out * -(-inner // 32)
    return Tensor(half + scales, half + scales)
