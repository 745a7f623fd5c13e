"""Rows of block-sparse attention: those of softmax attention."""

from __future__ import annotations

from .attention import rows

__all__ = ["rows"]
