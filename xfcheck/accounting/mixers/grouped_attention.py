"""Attention with grouped maps: the same products as any."""

from __future__ import annotations

from .attention import holds, work

__all__ = ["holds", "work"]
