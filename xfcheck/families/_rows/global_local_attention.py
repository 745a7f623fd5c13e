"""Rows of attention within blocks and to global vectors: those of softmax attention."""

from __future__ import annotations

from .attention import rows

__all__ = ["rows"]
