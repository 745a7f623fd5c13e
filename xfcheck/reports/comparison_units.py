"""Numbers of a comparison for a reader: SI for counts and FLOPs, binary for bytes, the unit taken from the key."""

from __future__ import annotations

import sys
from typing import Any

from ..accounting.units import binary, si

LABELS = {
    "parameters.total": "parameters",
    "parameters.active.total": "active",
    "parameters.by_component.attention": "attention parameters",
    "flops.prefill.total_visible": "prefill",
    "flops.decode.total_visible": "decode",
    "flops.training_per_token": "training/token",
    "cache.bytes": "cache",
    "cache.bytes_per_token": "cache/token",
    "memory.weight_bytes": "weights",
    "measured.prefill_ms": "measured prefill ms",
    "measured.prefill_predicted_ms": "predicted",
    "measured.decode_ms": "measured decode ms",
    "measured.decode_predicted_ms": "predicted",
}
"""Headings of the usual columns; others have their key."""
CROSSOVERS = {
    "cache_passes_weights_tokens": "cache passes weights",
    "attention_passes_mlp_prefill_tokens": "attention passes MLP in prefill",
    "attention_passes_mlp_decode_tokens": "in decode",
}


def label(key: str) -> str:
    """The heading of a column."""
    return LABELS.get(key, key)


def is_flops(key: str) -> bool:
    """Whether a key's number counts FLOPs: everything under `flops`, but for lengths."""
    return key.startswith("flops.") and key.rpartition(".")[2] not in ("batch", "tokens", "context", "multiply_add")


def is_bytes(key: str) -> bool:
    """Whether a key's number is in bytes, as the unit in its name says."""
    return any("bytes" in step.split("_") for step in key.split("."))


def shown(value: Any, key: str, *, exact: bool = False) -> str:
    """A value with three digits (all of them where `exact`); `-` for what is not known."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) and (exact or key.startswith(("settled.", "crossovers."))):
        return f"{value:,}" + (" B" if is_bytes(key) else "")
    if isinstance(value, float) and abs(value) < 1000 and not is_bytes(key):
        return f"{value:.4g}"
    return binary(value) if is_bytes(key) else si(value, "FLOP" if is_flops(key) else "")


def encodes(text: str) -> bool:
    """Whether standard output takes these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def ratio_sign() -> str:
    """What stands before a ratio: `x` where standard output has no `×`."""
    return "×" if encodes("×") else "x"


def times(ratio: float | None) -> str:
    """A ratio to the baseline: `×0.25`."""
    return "" if ratio is None else f"{ratio_sign()}{ratio:.3g}" if ratio < 1000 else f"{ratio_sign()}{ratio:,.0f}"
