"""Masks as tensors: which keys a query sees, written from the definitions and merged before the softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..architecture.masks import CAUSAL

if TYPE_CHECKING:
    from ..architecture.masks import Mask

__all__ = ["CAUSAL", "kept", "softmax", "trimmed", "visible"]


def visible(mask: Mask, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """True where the query at position `queries[i]` sees the key at `keys[j]`: `[n, m]`.

    An indexed mask is causal here; the indexer narrows it.

    Raises NotImplementedError for a mask whose pairs depend on more than positions (documents, random blocks).
    """
    q, k = queries[:, None], keys[None, :]
    past = k <= q
    window = mask.window or 0
    if mask.kind in ("causal", "indexed"):
        return past
    if mask.kind == "sliding":
        return past & (q - k < window)
    if mask.kind == "chunked":
        return past & (q // window == k // window) if window else past & False
    if mask.kind == "local":
        return (q - k).abs() <= window
    if mask.kind == "prefix":
        return past | ((k < (mask.prefix or 0)) & (q < (mask.prefix or 0)))
    if mask.kind in ("bidirectional", "cross"):
        return torch.ones_like(past)
    raise NotImplementedError(f"a {mask.kind} mask")


def kept(mask: Mask, kept_tokens: int | None) -> int | None:
    """Keys that stay of a layer between passes: a window of W needs its last W - 1, as the next query brings its own key. Null: all."""
    window = kept_tokens
    if window is None:
        window = mask.window if mask.kind in ("sliding", "chunked") else None
    return None if not window or window == 1 else window - 1


def trimmed(tensor: torch.Tensor, keep: int | None) -> torch.Tensor:
    """The last `keep` of the next-to-last axis."""
    return tensor if keep is None or tensor.shape[-2] <= keep else tensor[..., -keep:, :]


def softmax(scores: torch.Tensor, seen: torch.Tensor | None, sinks: torch.Tensor | None = None) -> torch.Tensor:
    """Weights over the visible keys: `[B, H, n, m]`.

    `sinks` `[H]` takes its share of every row and gives nothing. A row that sees nothing is NaN.
    """
    if seen is not None:
        scores = scores.masked_fill(~seen, float("-inf"))
    if sinks is None:
        return torch.softmax(scores, dim=-1)
    extra = sinks.view(1, -1, 1, 1).expand(scores.shape[0], -1, scores.shape[2], 1).to(scores.dtype)
    return torch.softmax(torch.cat([scores, extra], dim=-1), dim=-1)[..., :-1]
