"""Positions: rotations of queries and keys, tables, biases on scores; each written from its formula."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from ..architecture.positions.biases import RelativeBias
    from ..architecture.positions.rotary import Rotary


def angles(rotary: Rotary, width: int, positions: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Position times frequency, `[n, width / 2]`; frequencies theta ** (-2 i / width).

    Raises ValueError for an odd width: pairs do not exist.
    """
    if width % 2:
        raise ValueError(f"the rotary width {width} is odd, and a rotation turns pairs")
    theta = 10000.0 if rotary.theta is None else rotary.theta
    frequencies = theta ** (
        -torch.arange(0, width, 2, device=positions.device, dtype=torch.float64 if dtype == torch.float64 else torch.float32) / width
    )
    if rotary.scaling is not None and rotary.scaling.kind == "linear" and rotary.scaling.factor:
        frequencies = frequencies / rotary.scaling.factor
    return positions.to(frequencies.dtype)[:, None] * frequencies


def rotate(rotary: Rotary, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Turn the first `width` numbers of each head of `[B, H, n, d]`; the rest pass. Halves or neighbours make the pairs."""
    width = min(x.shape[-1] if rotary.width is None else rotary.width, x.shape[-1])
    if width == 0:
        return x
    angle = angles(rotary, width, positions, x.dtype)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    turned, rest = x[..., :width], x[..., width:]
    if rotary.layout == "interleaved":
        a, b = turned[..., 0::2], turned[..., 1::2]
        out = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
    else:
        a, b = turned.chunk(2, dim=-1)
        out = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
    return torch.cat([out, rest], dim=-1) if rest.shape[-1] else out


def sinusoid(positions: torch.Tensor, width: int, dtype: torch.dtype) -> torch.Tensor:
    """PE(p, 2i) = sin(p theta_i), PE(p, 2i + 1) = cos(p theta_i), theta_i = 10000 ** (-2 i / width): `[n, width]`."""
    exponent = (
        torch.arange(0, width + width % 2, 2, device=positions.device, dtype=torch.float64 if dtype == torch.float64 else torch.float32)
        / width
    )
    angle = positions.to(exponent.dtype)[:, None] * 10000.0**-exponent
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)[:, :width].to(dtype)


def slopes(heads: int) -> list[float]:
    """ALiBi's slope a head: 2 ** (-8 i / H) for a power of two.

    Else those of the next lower one and every second of the next higher one's.
    """
    lower = 2 ** math.floor(math.log2(heads))
    first = [2.0 ** (-8.0 * (i + 1) / lower) for i in range(lower)]
    further = [2.0 ** (-4.0 * (2 * i + 1) / lower) for i in range(heads - lower)]
    return first + further


def alibi(heads: int, queries: torch.Tensor, keys: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """- slope * distance: `[H, n, m]`, 0 at the query's own key."""
    slope = torch.tensor(slopes(heads), dtype=dtype, device=queries.device)
    distance = (queries[:, None] - keys[None, :]).abs().to(dtype)
    return -slope[:, None, None] * distance


def buckets(spec: RelativeBias, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """The bucket of each distance `[n, m]`.

    Half of the buckets exact, the rest growing with the logarithm (Raffel et al. 2019, section 2.1).
    """
    distance = queries[:, None] - keys[None, :]
    count = spec.buckets
    offset = torch.zeros_like(distance)
    if spec.bidirectional:
        count //= 2
        offset = (distance < 0).long() * count
        distance = distance.abs()
    else:
        distance = distance.clamp(min=0)
    exact = max(1, count // 2)
    limit = spec.max_distance or 128
    grown = exact + (torch.log(distance.clamp(min=1).float() / exact) / max(1e-9, math.log(limit / exact)) * (count - exact)).long()
    return offset + torch.where(distance < exact, distance, grown.clamp(max=count - 1))
