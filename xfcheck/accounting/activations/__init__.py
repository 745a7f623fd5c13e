"""Activations: what a block holds while it runs. One module a kind of mixer.

Each has `alive(spec, hidden)`, the elements a token of the largest set of a mixer's inputs and outputs alive at once, of the classes of
transformers 5.24 with a tiled attention kernel; scores are counted apart. A kind without a module is not known: null, never a guess. What
training keeps is in `accounting.saved`.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from ..dtypes import size
from ..walk import mixers

if TYPE_CHECKING:
    from types import ModuleType

    from ...architecture.model import Architecture
    from ..run import Run

KINDS = {
    "attention": "attention", "cross_attention": "attention", "latent_attention": "latent_attention", "mlp": "mlp", "moe": "moe",
    "mamba": "mamba", "mamba2": "mamba2",
    "gated_delta": "gated_delta", "short_convolution": "short_convolution",
}  # fmt: skip
"""Kinds of mixers that are known here -> modules of this package."""


@lru_cache(maxsize=32)
def _module(kind: str) -> ModuleType:
    return import_module(f"{__package__}.{KINDS[kind]}")


def alive(a: Architecture, dtype: str, run: Run) -> int | None:
    """Bytes of the largest set alive in one block of a pass: the residual stream beside a mixer's largest set.

    Null for an unknown kind.
    """
    largest = 0
    for placed in mixers(a):
        if placed.mixer.kind not in KINDS:
            return None
        hidden, tokens = placed.stack.hidden_size, run.batch * run.length(placed.stack.stream)[0]
        largest = max(largest, tokens * (hidden + int(_module(placed.mixer.kind).alive(placed.mixer, hidden))))
    return size(largest, dtype)
