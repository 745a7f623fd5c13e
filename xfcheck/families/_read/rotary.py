"""Rotary positions in their old and new spellings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...architecture.positions.rotary import Rotary, Scaling

if TYPE_CHECKING:
    from .settings import Settings

SPELLED = {
    "factor": "factor",
    "original_max_position_embeddings": "original_length",
    "low_freq_factor": "low_freq_factor",
    "high_freq_factor": "high_freq_factor",
    "attention_factor": "attention_factor",
    "beta_fast": "beta_fast",
    "beta_slow": "beta_slow",
    "mscale": "mscale",
    "mscale_all_dim": "mscale_all_dim",
}
"""Config key inside the rotary block -> field of `Scaling`."""


def parameters(c: Settings, layer_type: str | None = None) -> dict[str, Any]:
    """The rotary block as transformers 5.24 makes it up: `rope_scaling` beats `rope_parameters`; a nested block is read for its layer type.

    A theta outside the block counts only where the block has none. Never raises for a block of a wrong type: that is a rule's finding.
    """
    block = c.raw("rope_scaling", noted=False) or c.raw("rope_parameters", noted=False)
    block = dict(block) if isinstance(block, dict) else {}
    if layer_type is not None and isinstance(block.get(layer_type), dict):
        block = dict(block[layer_type])
    elif any(isinstance(v, dict) for v in block.values()):
        block = {k: v for k, v in block.items() if not isinstance(v, dict)}
    theta = c.raw("rope_theta", noted=False)
    if theta is None and c.table is not None:
        theta = c.table.default_theta
    block.setdefault("rope_theta", theta)
    partial = c.raw("partial_rotary_factor", noted=False)
    if partial is not None:
        block.setdefault("partial_rotary_factor", partial)
    return block


def rotary(c: Settings, width: int, *, layer_type: str | None = None, layout: str = "half", partial: float | None = None) -> Rotary:
    """The rotary positions of heads of `width`, of which the partial factor's share turns."""
    block = parameters(c, layer_type)
    share = _number(block.get("partial_rotary_factor"))
    share = partial if share is None else share
    sections = block.get("mrope_section")
    whole = isinstance(sections, list) and all(isinstance(s, int) and not isinstance(s, bool) for s in sections)
    return Rotary(
        theta=_number(block.get("rope_theta")),
        width=width if share is None else int(width * share),
        layout="interleaved" if layout == "interleaved" else "half",
        scaling=_scaling(block),
        sections=sections if whole else None,
    )


def _scaling(block: dict[str, Any]) -> Scaling | None:
    kind = block.get("rope_type", block.get("type"))
    if not isinstance(kind, str) or kind == "default":
        return None
    values: dict[str, Any] = {field: _number(block.get(key)) for key, field in SPELLED.items()}
    length = values["original_length"]
    values["original_length"] = int(length) if length is not None else None
    for key in ("short_factor", "long_factor"):
        given = block.get(key)
        values[key] = [float(x) for x in given] if isinstance(given, list) and all(_number(x) is not None for x in given) else None
    return Scaling(kind=kind, **values)


def _number(value: Any) -> float | None:
    """The value where it is a finite number, else null: a wrong one is a rule's finding, not ours."""
    fine = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30
    return float(value) if fine else None
