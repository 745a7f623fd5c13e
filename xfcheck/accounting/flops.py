"""FLOPs of a pass: 2 a multiply-add; look-ups, norms, activations and rotations 0 (as torch's FlopCounterMode counts)."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from .walk import arithmetic, mixers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..architecture.model import Architecture
    from ..ledger import Row
    from .run import Run


def matmul(rows: Sequence[Row], run: Run) -> int:
    """Every weight matrix times the tokens of its stream; k of E experts (all E where the reference multiplies all); a tied head multiplies like any other."""
    done = 0
    for row in rows:
        if not row.role.multiplies or row.kind == "not_loaded":
            continue
        each = 2 * prod(row.shape) * row.tensors * row.uses * run.tokens(row.stream, row.kept)
        if row.active is not None and not row.every:
            each = each * row.active[0] // row.active[1] if row.active[1] else 0
        done += each
    return done


def forward(a: Architecture, rows: Sequence[Row], run: Run) -> dict[str, int]:
    """FLOPs of one pass over the whole batch: weights, attention over the whole rectangle and over visible pairs, scans."""
    full = visible = scan = 0
    run = replace(run, padding={stack.stream: stack.padding for stack in a.stacks if stack.padding is not None})
    for placed in mixers(a):
        work = arithmetic(placed.mixer.kind).work(placed.mixer, run, placed.stack.stream)
        full += work.full * placed.count
        visible += work.visible * placed.count
        scan += work.scan * placed.count
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
        spec = placed.mixer
        executed = 2 * spec.query_heads * (spec.nope_dim + spec.rope_dim + spec.value_dim)  # type: ignore[attr-defined]
        new, past = run.length(placed.stack.stream)
        change += placed.count * (module.absorbed(spec, run, placed.stack.stream) - executed * run.batch * module.full(spec.mask, new, past, spec.kept_tokens))  # type: ignore[attr-defined]
    if not found:
        return None
    expansion = sum(2 * prod(row.shape) * row.tensors * row.uses * run.tokens("latent", row.kept) for row in rows if row.stream == "latent" and row.role.multiplies and row.kind != "not_loaded")
    return change - expansion
