"""FLOPs of a pass: 2 a multiply-add; look-ups, norms, activations and rotations 0 (as torch's FlopCounterMode counts)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from .walk import arithmetic, mixers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..architecture.blocks import Padding
    from ..architecture.model import Architecture
    from ..ledger import Row
    from .run import Run


def matmul(rows: Sequence[Row], run: Run) -> int:
    """Every weight matrix times the tokens of its stream.

    K of E experts (all E where the reference multiplies all); a tied head multiplies like any other.
    """
    return sum(_each(row, run) for row in rows)


def by_component(rows: Sequence[Row], run: Run, *, attention: int, scan: int, padding: Mapping[str, Padding]) -> dict[str, int]:
    """FLOPs of each bucket's matrices, and of `scores` (the whole rectangle) and `scan`; they sum to the pass's `total_full`."""
    out: dict[str, int] = {}
    run = run._replace(padding=padding)
    for row in rows:
        done = _each(row, run)
        if done:
            out[row.role.component] = out.get(row.role.component, 0) + done
    return {**out, "scores": attention, "scan": scan}


def padding(a: Architecture) -> dict[str, Padding]:
    """What stacks compute beside the tokens they are given, by stream."""
    return {stack.stream: stack.padding for stack in a.stacks if stack.padding is not None}


def _each(row: Row, run: Run) -> int:
    """FLOPs of one row's matrices in a pass."""
    if not row.role.multiplies or row.kind == "not_loaded":
        return 0
    each = 2 * prod(row.shape) * row.tensors * row.uses * run.tokens(row.stream, row.kept)
    if row.active is not None and not row.every:
        return each * row.active[0] // row.active[1] if row.active[1] else 0
    return each


def forward(a: Architecture, rows: Sequence[Row], run: Run) -> dict[str, int]:
    """FLOPs of one pass over the whole batch: weights, attention over the whole rectangle and over visible pairs, scans.

    A head's `queries`, products with every token's vector, stand with attention.
    """
    full = visible = scan = 0
    run = run._replace(padding=padding(a))
    for placed in mixers(a):
        work = arithmetic(placed.mixer.kind).work(placed.mixer, run, placed.stack.stream)
        full += work.full * placed.count
        visible += work.visible * placed.count
        scan += work.scan * placed.count
    answers = 2 * a.head.queries * a.main.hidden_size * run.tokens(a.head.stream)
    full, visible = full + answers, visible + answers
    weights = matmul(rows, run)
    out = {
        "matmul": weights, "attention_full": full, "attention_visible": visible, "scan": scan,
        "total_full": weights + full + scan, "total_visible": weights + visible + scan,
    }  # fmt: skip
    folded = _absorbed(a, rows, run)
    if folded is not None:
        out["absorbed_total"] = out["total_full"] + folded
    return out


def _absorbed(a: Architecture, rows: Sequence[Row], run: Run) -> int | None:
    """What the pass gains or loses where latent attention keeps to the latent space; null where there is none."""
    change, found = 0, False
    for placed in mixers(a):
        if placed.mixer.kind != "latent_attention":
            continue
        found = True
        module = arithmetic("latent_attention")
        spec: Any = placed.mixer
        executed = 2 * spec.query_heads * (spec.nope_dim + spec.rope_dim + spec.value_dim)
        new, past = run.length(placed.stack.stream)
        pairs = module.full(spec.mask, new, past, spec.kept_tokens)
        change += placed.count * (module.absorbed(spec, run, placed.stack.stream) - executed * run.batch * pairs)
    if not found:
        return None
    expansion = sum(
        2 * prod(row.shape) * row.tensors * row.uses * run.tokens("latent", row.kept)
        for row in rows
        if row.stream == "latent" and row.role.multiplies and row.kind != "not_loaded"
    )
    return change - expansion
