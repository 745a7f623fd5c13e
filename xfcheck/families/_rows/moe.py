"""Rows of a mixture of experts."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from .mlp import rows as mlp_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.moe import MoE
    from ...ledger import Row
    from .place import Place


def rows(spec: MoE, at: Place) -> Iterator[Row]:
    """Router, routed experts (k of E serve a token) and shared ones (all tokens)."""
    wide = at.hidden if spec.input_size is None else spec.input_size
    router = at.at(at.slot, "router")
    scored = 2 * isqrt(spec.experts) if spec.router.product_keys else spec.experts + spec.router.zero_experts + spec.router.extra_scores
    yield from router.matrix("router", scored, spec.router.input_size or wide, bias=spec.router.bias)
    if spec.router.correction != "none":
        buffer = spec.router.correction == "buffer"
        shape = (scored,) if spec.router.correction_rows is None else (spec.router.correction_rows, scored)
        yield from router.vector("correction", *shape, kind="buffer" if buffer else "parameter", dtype="float32" if buffer else None)
    if spec.router.table_rows is not None:
        yield from router.vector("table", spec.router.table_rows, spec.experts_per_token, kind="buffer", dtype="int64")
    share = (spec.experts_per_token, spec.experts + spec.router.zero_experts)
    if spec.storage == "separate":
        for row in mlp_rows(spec.expert, at.at(at.slot, "experts", experts=spec.experts, active=share), "expert."):
            yield _padded(spec, row) if spec.router.zero_experts else row._replace(every=spec.multiplied == "all")
    else:
        joined = {"flattened": _flattened, "apart": _apart}.get(spec.storage, _stacked)
        for row in joined(spec, at.at(at.slot, "experts", active=share), wide):
            yield row._replace(every=spec.multiplied == "all")
    if spec.shared is not None:
        shared = at.at(at.slot, "shared_experts")
        yield from mlp_rows(spec.shared, shared, "shared.")
        if spec.shared_gate:
            yield from shared.matrix("shared_gate", 1, wide)


def _padded(spec: MoE, row: Row) -> Row:
    """Gate and up hold rows for the zero experts too, which no token meets (LongCat-Flash).

    Of the real ones k E / (E + Z) serve a token.
    """
    if row.role.part not in ("expert.gate", "expert.up"):
        return row
    scored = spec.experts + spec.router.zero_experts
    return row._replace(experts=scored, active=(spec.experts_per_token * spec.experts, scored * scored))


def _stacked(spec: MoE, at: Place, wide: int) -> Iterator[Row]:
    """All experts in one tensor: [E, out, in], or [E, in, out] where the storage is transposed."""
    expert, back = spec.expert, spec.storage == "transposed"
    first = "expert.gate_up" if expert.gated else "expert.up"
    inner = (2 if expert.gated else 1) * expert.intermediate_size
    out = at.hidden if expert.output_size is None else expert.output_size
    for part, rows_, columns, bias in (
        (first, inner, wide, expert.bias),
        ("expert.down", out, expert.intermediate_size, expert.output_bias),
    ):
        yield at.row(part, (spec.experts, columns, rows_) if back else (spec.experts, rows_, columns), multiplies=True)
        if bias:
            yield at.row(part, (spec.experts, rows_), ending=".bias", suffix="_bias")


def _apart(spec: MoE, at: Place, wide: int) -> Iterator[Row]:
    """Gate, up and down of all experts in a tensor each: [E, out, in]."""
    inner = spec.expert.intermediate_size
    for part, out, into in (("gate", inner, wide), ("up", inner, wide), ("down", at.hidden, inner)):
        yield at.row(f"expert.{part}", (spec.experts, out, into), multiplies=True)


def _flattened(spec: MoE, at: Place, wide: int) -> Iterator[Row]:
    """The rows of all experts below each other, down stored the same way round as up: [E * intermediate, hidden]."""
    for part in ("gate", "up", "down") if spec.expert.gated else ("up", "down"):
        yield at.row(f"expert.{part}", (spec.experts * spec.expert.intermediate_size, wide), multiplies=True)
