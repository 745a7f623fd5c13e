"""What a count of kept bytes rests on, said beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..walk import mixers
from . import held, reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Model
    from . import Kept

FIELD = "memory.training.activations_bytes"
DROPOUT = (
    "attention_dropout", "attention_probs_dropout_prob", "attn_pdrop", "attention_dropout_rate", "hidden_dropout_prob", "hidden_dropout",
    "resid_pdrop", "resid_dropout", "embd_pdrop", "embd_dropout", "embedding_dropout", "dropout", "dropout_rate", "activation_dropout",
)  # fmt: skip
"""Keys of classes and files that hold a probability of dropping."""
FUSED = (
    "mamba", "mamba2", "gated_delta", "kimi_delta", "lightning_attention", "rg_lru", "time_mix", "short_convolution",
)  # fmt: skip
"""Kinds of mixers that have a fused kernel of their own."""
WIDE = "float32"


def notes(model: Model, kept: Kept, dtype: str, recompute: str, *, adapter: bool = False) -> Iterator[dict[str, Any]]:
    """Assumptions about the chosen number, each with the field and why. `adapter`: the model's own weights are not trained."""
    if kept.unknown is not None:
        yield _note(f"not known: {kept.unknown}")
        return
    if adapter:
        yield _note("at most: as if all weights were trained; matrices that are not trained need not keep their inputs")
    elif not held(model.model_type):
        yield _note("of the generic modules; the class may compose its operations otherwise (`verify --against transformers` counts)")
    elif dtype != WIDE:
        yield _note(f"held to {reference()}; in {dtype} RMS norms, their inputs and probabilities are taken in 32 bits")
    found = [f"{key} {rate}" for key, rate in dropouts(model)]
    if found:
        yield _note(f"without the masks of dropout ({', '.join(found)})")
    fused = sorted({placed.mixer.kind for placed in mixers(model.architecture) if placed.mixer.kind in FUSED})
    if fused and recompute != "none":
        yield _note(f"fused kernels of {', '.join(fused)} keep what they read and compute the rest again; `none` is the torch path")


def dropouts(model: Model) -> Iterator[tuple[str, float]]:
    """Probabilities above 0 that the file or the class gives."""
    table = model.settings.table
    for key in DROPOUT:
        default = None if table is None or key not in table.fields else table.fields[key][1]
        rate = model.settings.data.get(key, default)
        if isinstance(rate, int | float) and not isinstance(rate, bool) and rate > 0:
            yield key, float(rate)


def _note(why: str) -> dict[str, Any]:
    return {"field": FIELD, "value": None, "why": why}
