"""A grouped feed-forward network: weight matrices alone."""

from __future__ import annotations

from .mlp import holds, work

__all__ = ["holds", "work"]
