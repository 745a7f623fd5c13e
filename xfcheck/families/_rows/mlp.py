"""Rows of a feed-forward network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.mixers.mlp import TRAINED
from ...problems import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.mlp import MLP
    from ...ledger import Row
    from .place import Place


def rows(spec: MLP, at: Place, prefix: str = "") -> Iterator[Row]:
    """Gate, up and down with their biases; `prefix` is `expert.` or `shared.` inside a mixture.

    Where one matrix of the checkpoint is two modules, the biases are theirs and apart.
    """
    wide = at.hidden if spec.input_size is None else spec.input_size
    inner = spec.intermediate_size
    if spec.gated and spec.packing == "gate_up":
        whole = at.row(f"{prefix}gate_up", (2 * inner, wide), multiplies=True)
        yield whole
        parts = (("gate", inner), ("up", inner)) if whole.split else (("gate_up", 2 * inner),)
        if spec.bias:
            yield from (at.row(f"{prefix}{part}", (size,), ending=".bias", suffix="_bias") for part, size in parts)
    else:
        if spec.gated:
            yield from at.matrix(f"{prefix}gate", inner, wide, bias=spec.bias)
        yield from at.matrix(f"{prefix}up", inner, wide, bias=spec.bias)
    yield from at.matrix(f"{prefix}down", at.hidden if spec.output_size is None else spec.output_size, inner, bias=spec.output_bias)
    yield from at.norm(f"{prefix}inner_norm", spec.inner_norm, inner)
    if spec.activation in TRAINED:
        yield from activation_rows(spec.activation, at, f"{prefix}activation")


def activation_rows(activation: str, at: Place, part: str) -> Iterator[Row]:
    """The trained scalars of an activation and its saved constants. Raises Refused XF118 where the family has no such activation."""
    key = f"{at.slot}.{part}"
    if at.names.checkpoint.get(key) is None:
        raise Refused(f"the activation {activation!r} has weights, and this family gives them no name", code="XF118")
    trained, saved = TRAINED[activation]
    for name in trained:
        yield at.row(part, (1,), ending=f".{name}", suffix=f"_{name}")
    for name in saved:
        yield at.row(part, (), ending=f".{name}", suffix=f"_{name}", kind="buffer")
