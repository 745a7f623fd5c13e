"""Attention in tiles with an online softmax is the same function (Dao et al. 2022, arXiv 2205.14135, algorithm 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..torch_build.masks import visible
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance

TILE = 4


def judge(x: Instance) -> Iterator[Check]:
    """The layer's own queries, keys and values through tiles of a few keys."""
    worst, count = 0.0, 0
    for name, placed in x.heads():
        spec: Any = placed.mixer
        if (
            spec.kind != "attention"
            or spec.softcap is not None
            or spec.sinks
            or getattr(spec.position, "kind", "") in ("alibi", "relative_bias")
            or spec.mask.kind == "indexed"
        ):
            continue
        q, k, v, out = (x.seen[f"{name}.{part}"] for part in ("query", "key", "value", "heads")) if f"{name}.key" in x.seen else (None,) * 4
        if q is None or k is None or v is None or out is None:
            continue
        repeats = q.shape[1] // k.shape[1]
        k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
        at = x.span(q.shape[2])
        scale = spec.head_dim**-0.5 if spec.scale is None else spec.scale
        worst, count = max(worst, (tiles(q * scale, k, v, visible(spec.mask, at, at)) - out).abs().max().item()), count + 1
    if count:
        yield bounded("tiled", worst, x.exact, f"tiles of {TILE} keys with a running maximum and sum, against the whole rows")


def tiles(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """[B, H, n, d_v], a few keys at a time; no row of scores is ever whole."""
    top = q.new_full(q.shape[:3], float("-inf"))
    total, out = q.new_zeros(q.shape[:3]), q.new_zeros(*q.shape[:3], v.shape[-1])
    for first in range(0, k.shape[2], TILE):
        part = slice(first, first + TILE)
        scores = torch.matmul(q, k[:, :, part].transpose(-1, -2)).masked_fill(~seen[:, part], float("-inf"))
        highest = torch.maximum(top, scores.amax(-1))
        safe = torch.where(highest.isinf(), torch.zeros_like(highest), highest)
        weights, shrunk = torch.exp(scores - safe[..., None]), torch.exp(top - safe)
        total = total * shrunk + weights.sum(-1)
        out = out * shrunk[..., None] + torch.matmul(weights, v[:, :, part])
        top = highest
    return out / total[..., None]
