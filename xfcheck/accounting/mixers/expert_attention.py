"""A mixture of attention heads: every chosen expert's heads attend over the shared keys and values."""

from __future__ import annotations

from .attention import holds, work

__all__ = ["holds", "work"]
