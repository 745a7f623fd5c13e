"""Parameter counts in every convention, as folds over the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ledger import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ledger import Row

TABLES = ("token_embedding", "position_embedding")


def by_component(rows: Sequence[Row]) -> dict[str, int]:
    """Parameters of each bucket, every tensor once; the buckets sum to the total."""
    out = dict.fromkeys(COMPONENTS, 0)
    for row in rows:
        if row.counted:
            out[row.role.component] += row.elements
    return out


def active(rows: Sequence[Row]) -> int:
    """Parameters that one token meets: all, but k of every E routed experts. A table counts whole, as a gradient would."""
    return sum(_active(row) for row in rows if row.counted)


def _active(row: Row) -> int:
    if row.active is None:
        return row.elements
    chosen, of = row.active
    return row.elements * min(chosen, of) // of if of else 0


def parameters(rows: Sequence[Row]) -> dict[str, object]:
    """The `parameters` object of the budget: all counts are elements, not bytes.

    `total` counts a tied tensor once. `embedding` is token, position and type tables; `non_embedding` leaves them and an untied head out.
    `active.without_input_embedding` leaves the token table out only where the head has a matrix of its own; `without_embeddings` leaves out
    tables and head.
    """
    shares = by_component(rows)
    total = sum(shares.values())
    embedding = sum(shares[t] for t in TABLES if t == "token_embedding") + sum(
        row.elements for row in rows if row.counted and row.role.component == "position_embedding" and row.role.part != "relative_bias"
    )
    head_tied = any(row.role == HEAD_ROLE and row.tied_to for row in rows)
    head = 0 if head_tied else shares["head"]
    token_table = sum(
        row.elements
        for row in rows
        if row.counted and row.role.component == "token_embedding" and row.role.part in ("embedding", "stack_embedding")
    )
    whole = active(rows)
    return {
        "total": total,
        "persistent_buffers": sum(row.elements for row in rows if row.kind == "buffer" and row.tied_to is None),
        "not_loaded": sum(row.elements for row in rows if row.kind == "not_loaded"),
        "active": {
            "total": whole,
            "without_input_embedding": whole if head_tied or not any(r.role == HEAD_ROLE for r in rows) else whole - token_table,
            "without_embeddings": whole - embedding - shares["head"],
        },
        "embedding": embedding,
        "non_embedding": total - embedding - head,
        "by_component": shares,
    }


def _head_role() -> object:
    from ..ledger import role

    return role("head", "head", multiplies=True)


HEAD_ROLE = _head_role()
