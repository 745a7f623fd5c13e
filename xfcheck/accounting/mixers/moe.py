"""A mixture of experts: weight matrices alone."""

from __future__ import annotations

from .mlp import holds, work

__all__ = ["holds", "work"]
