"""The kernels that may be there, found when the command runs: each with how it is called, or why it cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import flex, packages, scans, sdpa

if TYPE_CHECKING:
    import torch

    from .backend import Backend


def found(device: torch.device) -> list[Backend]:
    """Every backend known, those that cannot be called with the reason."""
    return [*sdpa.backends(device), flex.backend(device), *packages.backends(device), *scans.backends()]
