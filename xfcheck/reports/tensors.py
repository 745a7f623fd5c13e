"""The listing of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ledger import modules
from .plain import plain

if TYPE_CHECKING:
    from ..ledger import Row
    from ..model import Model


def listing(model: Model, names: str = "checkpoint", *, not_loaded: bool = False) -> dict[str, Any]:
    """The JSON object of `tensors` without its envelope; its fidelity is that of names and shapes.

    Tensors of published checkpoints that transformers does not load (`not_loaded`) are no part of what it saves: left out unless asked for.
    """
    left_out = ("unsaved",) if not_loaded else ("unsaved", "not_loaded")
    rows = [row for row in model.rows if row.kind not in left_out] if names == "checkpoint" else modules(model.rows)
    dtype = model.architecture.dtype or "bfloat16"
    return {
        "model_type": model.model_type,
        "fidelity": model.fidelity_by["parameters"],
        "names": names,
        "rows": [_row(row, dtype) for row in rows],
    }


def _row(row: Row, dtype: str) -> dict[str, Any]:
    return {
        "name": row.name, "shape": list(row.stored_shape), "dtype": row.dtype or dtype, "role": str(row.role), "kind": row.kind,
        "layers": None if row.layers is None else str(row.layers), "experts": row.experts, "tied_to": row.tied_to,
    }  # fmt: skip


def render(result: dict[str, Any]) -> str:
    """The listing as aligned text, with a sum."""
    rows = result["rows"]
    shapes = [" x ".join(map(str, row["shape"])) or "scalar" for row in rows]
    wide, shaped = max((len(r["name"]) for r in rows), default=0), max(map(len, shapes), default=0)
    lines = [f"{plain(result['path'])}  {plain(result['model_type'])}  {result['fidelity']}"]
    for row, shape in zip(rows, shapes, strict=True):
        many = [f"layers {row['layers']}"] if row["layers"] is not None else []
        many += [f"{row['experts']} experts"] if row["experts"] is not None else []
        many += [f"tied to {row['tied_to']}"] if row["tied_to"] else []
        many += [row["kind"]] if row["kind"] != "parameter" else []
        lines.append(f"  {row['name']:<{wide}}  {shape:<{shaped}}  {row['role']:<28}  {', '.join(many)}".rstrip())
    return "\n".join(lines) + "\n"
