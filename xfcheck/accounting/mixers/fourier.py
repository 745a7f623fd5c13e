"""A fast Fourier transform: no matrix product, so nothing that is counted."""

from __future__ import annotations

from .mlp import holds, work

__all__ = ["holds", "work"]
