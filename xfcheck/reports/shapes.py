"""The shape ledger as JSON rows and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..shapes import ledger, unknown
from .plain import plain

if TYPE_CHECKING:
    from ..model import Model

FALLBACK = 4096


def listing(model: Model, *, batch: int, length: int | None, source: int | None, dtype: str | None) -> dict[str, Any]:
    """The JSON object of `shapes` without its path; sizes in bytes, of one layer each."""
    a = model.architecture
    tokens = length or a.maximum_positions or FALLBACK
    encoder = next((s for s in a.stacks if s.stream == "encoder"), None)
    read = tokens if source is None else source
    read = read if encoder is None or encoder.fixed_length is None else encoder.fixed_length
    rows = ledger(a, batch=batch, length=tokens, source=read, dtype=dtype or a.dtype or "bfloat16")
    return {
        "model_type": model.model_type,
        "batch": batch,
        "length": tokens,
        "source_length": read if encoder is not None else None,
        "dtype": dtype or a.dtype or "bfloat16",
        "not_described": unknown(a),
        "rows": [
            {
                "name": x.name,
                "symbolic": [symbol for symbol, _ in x.dims],
                "shape": list(x.shape),
                "bytes": x.bytes,
                "materialised": x.materialised,
                "layers": x.layers,
            }
            for x in rows
        ],
    }


def render(result: dict[str, Any]) -> str:
    """Name, symbols, numbers, bytes; what a tiled kernel never makes whole is in brackets."""
    rows = result["rows"]
    of = f"{result['model_type']}, batch {result['batch']}, {result['length']} tokens, {result['dtype']}"
    lines = [plain(f"{result['path']}: {of}")]
    width = max((len(r["name"]) for r in rows), default=0)
    symbols = max((len(", ".join(r["symbolic"])) for r in rows), default=0)
    numbers = max((len(", ".join(map(str, r["shape"]))) for r in rows), default=0)
    for r in rows:
        size = f"{r['bytes']:,}" if r["materialised"] else f"({r['bytes']:,})"
        times = f"  x {r['layers']} layers" if r["layers"] > 1 else ""
        lines.append(
            f"  {plain(r['name']):<{width}}  [{', '.join(r['symbolic'])}]".ljust(width + symbols + 7)
            + f"[{', '.join(map(str, r['shape']))}]".ljust(numbers + 4)
            + f"{size:>18} bytes{times}"
        )
    lines += [f"  not described: {said}" for said in result["not_described"]]
    if any(not r["materialised"] for r in rows):
        lines.append("  in brackets: not made whole where attention is computed in tiles")
    return "\n".join(lines) + "\n"
