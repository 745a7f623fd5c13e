"""A checkpoint against a config, as an object and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..checkpoint.against import against
from .plain import line_start, plain

if TYPE_CHECKING:
    from ..checkpoint.files import Checkpoint
    from ..model import Model

DIFFERENCES = ("missing", "unexpected", "shape", "dtype")
NOTES = ("tied", "not_loaded")


def comparison(model: Model, checkpoint: Checkpoint) -> dict[str, Any]:
    """The JSON object without its path.

    `missing`, `unexpected`, `shape`, `dtype` are differences, folded over layers and experts; `tied` and `not_loaded` are none. Files that
    are not there, and tensors that lie in another file than the index says or in none, are differences too. Sizes are bytes of tensor data.
    """
    found = against(model, checkpoint)
    files = {
        "index": checkpoint.index, "present": len(checkpoint.files), "missing": checkpoint.missing_files, "extra": checkpoint.extra_files,
        "misplaced": [{"name": n, "file": f, "held_by": h} for n, f, h in checkpoint.misplaced[:100]],
        "problems": [{"file": file, "message": p.message} for file, p in checkpoint.problems],
    }  # fmt: skip
    return {
        "model_type": model.model_type, "fidelity": model.fidelity_by["parameters"], "checkpoint": checkpoint.path,
        "agrees": found.agrees and not checkpoint.faults, "naming": found.naming, "shapes_known": found.headers,
        "tensors": {"expected": found.expected, "found": found.found, "quantised": found.quantised},
        "bytes": {"expected": found.bytes_expected, "found": found.bytes_found, "index_total_size": checkpoint.total_size},
        **{kind: [e.as_json() for e in getattr(found, kind)] for kind in (*DIFFERENCES, *NOTES)},
        "files": files,
    }  # fmt: skip


def render(result: dict[str, Any]) -> str:
    """The comparison for a reader: a verdict, then each kind of difference with its tensors."""
    count, size = result["tensors"], result["bytes"]
    verdict = "agrees" if result["agrees"] else "differs"
    basis = f"{result['model_type']}, {result['fidelity']}; names {result['naming']}"
    lines = [f"{result['path']} against {result['checkpoint']}: {verdict} ({basis})"]
    packed = f", {count['quantised']:,} of them of quantised matrices" if count["quantised"] else ""
    known = "" if result["shapes_known"] else "; an index alone, shapes and dtypes are not known"
    lines.append(f"  tensors  expected {count['expected']:,}, found {count['found']:,}{packed}{known}")
    if size["found"] is not None:
        expected = "" if size["expected"] is None else f"expected {size['expected']:,}, "
        lines.append(f"  bytes    {expected}found {size['found']:,}")
    for kind in (*DIFFERENCES, *NOTES):
        lines += [f"  {kind.replace('_', ' '):<11}{_entry(entry)}" for entry in result[kind]]
    files = result["files"]
    lines += [f"  no file    {name}" for name in files["missing"]]
    lines += [f"  extra file {name}" for name in files["extra"]]
    for each in files["misplaced"]:
        held = "no file holds it" if each["held_by"] is None else f"{each['held_by']} holds it"
        lines.append(f"  misplaced  {each['name']}: {each['file']} by the index, {held}")
    lines += [f"  problem    {each['file']}: {each['message']}" for each in files["problems"]]
    return "\n".join(line_start(plain(line)) for line in lines) + "\n"


def _entry(entry: dict[str, Any]) -> str:
    many = [f"{what} {entry[what]}" for what in ("layers", "experts") if entry[what] is not None]
    many += [f"{entry['tensors']} tensors"] if entry["tensors"] > 1 else []
    values = [_value(v) for v in (entry["expected"], entry["found"]) if v is not None]
    said = f"  {' expected, found '.join(values)}" if len(values) == 2 else f"  {values[0]}" if values else ""
    return f"{entry['name']}{said}{'  (' + ', '.join(many) + ')' if many else ''}"


def _value(value: Any) -> str:
    return (" x ".join(map(str, value)) or "scalar") if isinstance(value, list) else str(value)
