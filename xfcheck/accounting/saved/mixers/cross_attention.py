"""Softmax attention over another stream."""

from .attention import run

__all__ = ["run"]
