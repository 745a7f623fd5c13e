"""Normalisations, written from their formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .marks import Site, Weighted

if TYPE_CHECKING:
    from ..architecture.norm import Norm


class NormLayer(Weighted):
    """One norm of `size` numbers; weight and bias as the description says. Unit-offset weights are kept as w of 1 + w."""

    def __init__(self, site: Site, part: str, norm: Norm, size: int) -> None:
        super().__init__(site.at("norm"))
        self.norm, width = norm, size if norm.size is None else norm.size
        shape = (width,) if norm.heads is None else (norm.heads, width)
        self.weight = self.tensor(part, shape) if norm.weight or norm.heads is not None else None
        self.bias = self.tensor(f"{part}_bias", (width,)) if norm.bias and norm.heads is None else None
        if self.weight is not None and not norm.unit_offset:
            with torch.no_grad():
                self.weight.fill_(1.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The same shape; over the last axis, or over slices of it."""
        eps = 1e-6 if self.norm.eps is None else self.norm.eps
        if self.norm.kind == "layer" and self.norm.heads is None:
            weight = None if self.weight is None else 1.0 + self.weight if self.norm.unit_offset else self.weight
            return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, self.bias, eps)
        if self.norm.groups and self.norm.kind == "group":
            groups = x.unflatten(-1, (self.norm.groups, -1))
            out = _rms(groups, eps).flatten(-2)
        elif self.norm.kind == "layer":
            out = _layer(x, eps)
        elif self.norm.kind == "l2":
            out = x / (x.square().sum(-1, keepdim=True) + eps).sqrt()
        else:
            out = _rms(x, eps)
        if self.weight is not None:
            weight = self.weight if self.norm.heads is None else self.weight[:, None, :]
            out = out * (1.0 + weight if self.norm.unit_offset else weight)
        return out if self.bias is None else out + self.bias


def _rms(x: torch.Tensor, eps: float) -> torch.Tensor:
    return x * (x.square().mean(-1, keepdim=True) + eps).rsqrt()


def _layer(x: torch.Tensor, eps: float) -> torch.Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return centred * (centred.square().mean(-1, keepdim=True) + eps).rsqrt()


def maybe(site: Site, part: str, norm: Norm | None, size: int) -> NormLayer | None:
    """The norm, or none."""
    return None if norm is None else NormLayer(site, part, norm, size)


def apply(norm: NormLayer | None, x: torch.Tensor) -> torch.Tensor:
    """Through the norm where there is one."""
    return x if norm is None else norm(x)


def heads(norm: NormLayer | None, x: torch.Tensor) -> torch.Tensor:
    """A norm of queries, keys or values `[B, H, n, d]`: a head at a time, or over all heads together where its width is theirs."""
    if norm is None:
        return x
    size = norm.norm.size
    if size is None or size == x.shape[-1] or norm.norm.heads is not None:
        return norm(x)
    count, width = x.shape[1], x.shape[3]
    return norm(x.transpose(1, 2).flatten(2)).unflatten(-1, (count, width)).transpose(1, 2)


def by_head(norm: NormLayer, x: torch.Tensor) -> torch.Tensor:
    """Each head of `[..., H, d]` normalised by itself, under a weight of all heads together."""
    width = x.shape[-1]
    plain = norm.norm.model_copy(update={"weight": False, "bias": False, "size": width, "heads": None})
    out = NormLayer(norm.site, "plain", plain, width)(x).flatten(-2)
    if norm.weight is not None:
        out = out * (1.0 + norm.weight if norm.norm.unit_offset else norm.weight)
    return (out if norm.bias is None else out + norm.bias).unflatten(-1, (-1, width))
