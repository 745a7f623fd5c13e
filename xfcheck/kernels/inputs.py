"""Random inputs, fresh for each check and never the same twice in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from .case import Case

if TYPE_CHECKING:
    from .layers import Problem
    from .recurrence import Recurrence


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


class Tokens(NamedTuple):
    """The tensors of a `Recurrence`; `decay` (a logarithm, below 0), `rate` (between 0 and 1) and `state` null where there is none."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    decay: torch.Tensor | None = None
    rate: torch.Tensor | None = None
    state: torch.Tensor | None = None

    @property
    def tensors(self) -> list[torch.Tensor]:
        """Those that the backward pass gives gradients of."""
        return [self.query, self.key, self.value]


Given = Inputs | Tokens


def fresh(case: Problem, device: torch.device, *, gradients: bool = False, layout: str = "BHND") -> Any:
    """One set of inputs: uniform numbers of unit variance, bounded, so that an absolute error means the same for every draw.

    `layout`: in which order they lie in memory: `BHND` as they are indexed, or `BNHD`, the tokens before the heads.
    """
    return several(case, device, 1, gradients=gradients, layout=layout)[0]


def several(case: Problem, device: torch.device, count: int, *, gradients: bool = False, layout: str = "BHND") -> list[Any]:
    """So many sets of inputs, each tensor of all of them drawn at once."""
    draw = _attention if isinstance(case, Case) else _recurrence
    sets = draw(case, device, count, layout)  # type: ignore[arg-type]
    if not gradients:
        return sets
    return [s._replace(query=_leaf(s.query), key=_leaf(s.key), value=_leaf(s.value)) for s in sets]


def _leaf(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().requires_grad_()


def _uniform(shape: tuple[int, ...], dtype: str, device: torch.device) -> torch.Tensor:
    wide = torch.float64 if dtype == "float64" else torch.float32
    return torch.empty(shape, dtype=wide, device=device).uniform_(-(3**0.5), 3**0.5).to(getattr(torch, dtype))


def _attention(case: Case, device: torch.device, count: int, layout: str) -> list[Inputs]:
    def draw(heads: int, length: int, width: int) -> tuple[torch.Tensor, ...]:
        if layout == "BNHD":
            return _uniform((count, case.batch, length, heads, width), case.dtype, device).transpose(2, 3).unbind()
        return _uniform((count, case.batch, heads, length, width), case.dtype, device).unbind()

    queries = draw(case.query_heads, case.query_length, case.head_dim)
    keys = draw(case.kv_heads, case.key_length, case.head_dim)
    values = [k[..., : case.value_dim] for k in keys] if case.latent else draw(case.kv_heads, case.key_length, case.value_dim)
    sinks = _uniform((count, case.query_heads), case.dtype, device).unbind() if case.sinks else [None] * count
    return [Inputs(*each) for each in zip(queries, keys, values, sinks, strict=True)]


def _recurrence(case: Recurrence, device: torch.device, count: int, _layout: str) -> list[Tokens]:
    """Keys and queries of unit length, so that states neither vanish nor grow; half lives of a token to a few hundred."""
    B, H, G, n, K = case.batch, case.heads, case.groups, case.query_length, case.key_dim
    wide = "float64" if case.dtype == "float64" else "float32"

    def between(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.empty((count, B, H, *shape), dtype=getattr(torch, wide), device=device).uniform_(low, high)

    def unit(heads: int) -> torch.Tensor:
        drawn = _uniform((count, B, heads, n, K), wide, device)
        return torch.nn.functional.normalize(drawn, dim=-1).to(getattr(torch, case.dtype))

    query, key = unit(G) * K**0.5, unit(G)
    value = _uniform((count, B, H, n, case.value_dim), case.dtype, device)
    decay = None if case.decay == "none" else -torch.exp(between(-6.0, 0.0, n, 1 if case.decay == "head" else K))
    if case.decay == "none" and not case.delta:
        key = key / max(case.key_length, 1) ** 0.5
    rate = between(0.1, 0.9, n, 1) if case.delta else None
    state = between(-1.0, 1.0, K, case.value_dim) * K**-0.5 if case.past else None
    given = (query, key, value, decay, rate, state)
    return [Tokens(*(None if t is None else t[i] for t in given)) for i in range(count)]


def require_varied(inputs: Given) -> None:
    """Raises DegenerateError where a tensor is constant or not finite: on zeros every kernel agrees, and chips run them at other clocks."""
    for name, tensor in zip(inputs._fields, inputs, strict=True):
        if tensor is None:
            continue
        seen = tensor.detach().reshape(-1)[:65536].double()
        if not bool(torch.isfinite(seen).all()):
            raise DegenerateError(f"the {name} is not finite")
        if seen.numel() > 1 and float(seen.std()) < 1e-6 + 1e-3 * float(seen.abs().mean()):
            raise DegenerateError(f"the {name} is constant: a wrong kernel would agree on it, and its time says nothing")
