"""Random inputs, fresh for each check and never the same twice in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch

if TYPE_CHECKING:
    from .case import Case


class DegenerateError(Exception):
    """Inputs on which a wrong kernel may look right, and any kernel too quick."""


class Inputs(NamedTuple):
    """Query, key and value as in `Case`, and a trained logit a head where the case has sinks."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    sinks: torch.Tensor | None = None

    @property
    def tensors(self) -> list[torch.Tensor]:
        """Those that the backward pass gives gradients of."""
        return [self.query, self.key, self.value]


def fresh(case: Case, device: torch.device, *, gradients: bool = False) -> Inputs:
    """Uniform numbers of unit variance: bounded, so that an absolute error means the same for every draw."""

    def draw(*shape: int) -> torch.Tensor:
        wide = torch.float64 if case.dtype == "float64" else torch.float32
        return torch.empty(shape, dtype=wide, device=device).uniform_(-(3**0.5), 3**0.5).to(getattr(torch, case.dtype))

    query = draw(case.batch, case.query_heads, case.query_length, case.head_dim)
    key = draw(case.batch, case.kv_heads, case.key_length, case.head_dim)
    value = key[..., : case.value_dim] if case.latent else draw(case.batch, case.kv_heads, case.key_length, case.value_dim)
    sinks = draw(case.query_heads) if case.sinks else None
    if gradients:
        query, key, value = (t.detach().requires_grad_() for t in (query, key, value))
    return Inputs(query, key, value, sinks)


def require_varied(inputs: Inputs) -> None:
    """Raises DegenerateError where a tensor is constant or not finite: on zeros every kernel agrees, and chips run them at other clocks."""
    for name, tensor in zip(("query", "key", "value"), inputs.tensors, strict=True):
        seen = tensor.detach().reshape(-1)[:65536].double()
        if not bool(torch.isfinite(seen).all()):
            raise DegenerateError(f"the {name} is not finite")
        if seen.numel() > 1 and float(seen.std()) < 1e-3:
            raise DegenerateError(f"the {name} is constant: a wrong kernel would agree on it, and its time says nothing")
