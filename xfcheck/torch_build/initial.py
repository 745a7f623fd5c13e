"""Weights to start from: what an untrained model of this description could have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from .marks import Weighted

if TYPE_CHECKING:
    from torch import nn

    from .marks import Mark


def initialise(model: nn.Module, seed: int = 0) -> None:
    """Matrices N(0, 1 / fan-in), tables of tokens N(0, 1), biases N(0, 0.02 ** 2), decays and steps as in the papers.

    Norms stay the identity.
    """
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for module in model.modules():
            if not isinstance(module, Weighted):
                continue
            for name, mark in module.marks.items():
                _fill(getattr(module, name), mark, draw)


def _fill(weight: torch.Tensor, mark: Mark, draw: torch.Generator) -> None:
    component, _, part = mark.role.partition(".")
    if mark.kind == "buffer" or component == "norm" or weight.is_meta or part == "scale":
        return
    if part == "decay":
        weight.copy_(torch.log(1 + 7 * torch.rand(weight.shape, generator=draw, dtype=weight.dtype)))
    elif part in ("dt_bias", "skip"):
        weight.copy_(torch.rand(weight.shape, generator=draw, dtype=weight.dtype) * 2 - (3 if part == "dt_bias" else 0))
    else:
        weight.copy_(torch.randn(weight.shape, generator=draw, dtype=weight.dtype) * _deviation(weight, mark, part))


def _deviation(weight: torch.Tensor, mark: Mark, part: str) -> float:
    if mark.multiplies:
        return 1 / math.sqrt(weight.shape[-1])
    if part.endswith("_bias") and part != "relative_bias":
        return 0.02
    if "conv" in part.split("_"):
        return 1 / math.sqrt(weight.shape[-1])
    return 1.0 if part in ("embedding", "stack_embedding", "relative_bias", "sinks") else 0.1
