"""Pairs of query and key in closed form: never a sum over positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import retained

if TYPE_CHECKING:
    from ..architecture.masks import Mask


def ramp(first: int, last: int, cap: int) -> int:
    """The sum of min(t, cap) for t from first to last."""
    if last < first:
        return 0
    below = min(last, cap)
    grown = (first + below) * (below - first + 1) // 2 if below >= first else 0
    return grown + cap * (last - max(first - 1, below))


def causal(new: int, past: int) -> int:
    """Pairs of `new` queries after `past` keys, each seeing itself and all before (bottom-right aligned): n * past + n(n+1)/2."""
    return new * past + new * (new + 1) // 2


def full(mask: Mask, new: int, past: int, kept_tokens: int | None = None) -> int:
    """Pairs an eager kernel computes: the whole rectangle of queries and of the keys that the cache still holds.

    With past keys a windowed layer's cache has W - 1 of them and the new ones; `kept_tokens` is the window that a cache obeys where the
    mask has none.
    """
    window = mask.window if kept_tokens is None and mask.kind in ("sliding", "chunked") else kept_tokens
    kept = retained(window)
    return new * ((past if kept is None else min(past, kept)) + new)


def visible(mask: Mask, new: int, past: int) -> int:
    """Pairs that mask and window leave.

    Causal n * past + n(n+1)/2; sliding the sum of min(t, W); chunked the triangle inside each chunk; bidirectional all; local 2W + 1 around
    each query; prefix all of the prefix and causal after; indexed the sum of min(t, k); block-sparse as `block_sparse`.
    """
    window = mask.window or 0
    total = past + new
    if mask.kind in ("causal", "document"):
        return causal(new, past)
    if mask.kind in ("sliding", "indexed"):
        return ramp(past + 1, total, window) if window else 0
    if mask.kind == "local":
        return _local(total, window)
    if mask.kind == "chunked":
        return _chunked(total, window) - _chunked(past, window)
    if mask.kind == "prefix":
        prefix = min(mask.prefix or 0, total)
        return causal(new, past) + (prefix * (prefix - 1) // 2 if past == 0 else 0)
    if mask.kind == "block_sparse":
        return block_sparse(mask, total)
    return new * total


def strided(new: int, past: int, stride: int, cap: int | None) -> int:
    """Pairs of query and entry where one entry stands for `stride` tokens and a query sees the entries closed by then, at most `cap`.

    The sum of min(floor(t / stride), cap) for t from past + 1 to past + new.
    """
    return _strided(past + new, stride, cap) - _strided(past, stride, cap)


def _strided(length: int, stride: int, cap: int | None) -> int:
    end = length if cap is None else min(length, (cap + 1) * stride - 1)
    whole, rest = divmod(end, stride)
    return stride * whole * (whole - 1) // 2 + whole * (rest + 1) + (0 if cap is None else cap * (length - end))


def _local(length: int, reach: int) -> int:
    """Bidirectional, `reach` keys to either side."""
    side = ramp(0, length - 1, reach)
    return length + 2 * side


def _chunked(length: int, chunk: int) -> int:
    """Causal inside chunks of a sequence of that length."""
    if chunk <= 0:
        return 0
    whole, rest = divmod(length, chunk)
    return whole * chunk * (chunk + 1) // 2 + rest * (rest + 1) // 2


def block_sparse(mask: Mask, length: int) -> int:
    """A window, some random blocks and global tokens that see and are seen by all; never more than the whole square."""
    near = min(length, (mask.window or 0) + mask.random_blocks * (mask.block or 0) + mask.global_tokens)
    return min(length * length, length * near + mask.global_tokens * (length - near))
