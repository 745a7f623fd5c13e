"""Activations: what a block holds while it runs, and what training keeps for the backward pass. One module a kind of mixer.

Each has `alive(spec, hidden)`, the elements a token of the largest set of a mixer's inputs and outputs alive at once, and
`saved(spec, hidden, width)`, the bytes a token that autograd keeps at `width` bytes an element. Both are of the classes of transformers
5.24 with a tiled attention kernel, without dropout and without a mask tensor; scores are counted apart. A kind without a module is not
known: null, never a guess.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..dtypes import WIDTHS, size
from ..walk import mixers

if TYPE_CHECKING:
    from types import ModuleType

    from ...architecture.blocks import Block, Stack, Sublayer
    from ...architecture.model import Architecture
    from ...architecture.norm import Norm
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


def saved(a: Architecture, dtype: str, *, batch: int, tokens: int) -> dict[str, int] | None:
    """Bytes that training keeps of one pass over `batch` sequences of `tokens`, by what is computed again.

    Null for an unknown kind and for more than one stack.

    `selective`: scores are computed again, as every tiled kernel does. `none`: scores are kept too, probabilities in 32 bits and once at
    the dtype. `full`: the inputs of all blocks, and one block whole while it is computed again. All with the final norm and the loss:
    log-probabilities in 32 bits.
    """
    if len(a.stacks) != 1:
        return None
    stack = a.main
    width = int(WIDTHS[dtype]) if WIDTHS[dtype].denominator == 1 else None
    if width is None:
        return None
    kept = inputs = largest = scores = 0
    for block in stack.blocks:
        each = _block(block, stack, width)
        if each is None:
            return None
        layers = len(block.layers) * block.uses
        kept += each * layers
        inputs += width * stack.hidden_size * layers
        largest = max(largest, each)
        scores += layers * sum(_scores(mixer, width) for sub in block.sublayers for mixer in sub.mixers)
    end = norm_bytes(stack.final_norm, stack.hidden_size, width) + width * stack.hidden_size + 4 * a.head.rows
    count = batch * tokens
    return {
        "none": (kept + end) * count + batch * scores * tokens * tokens,
        "selective": (kept + end) * count,
        "full": (inputs + largest + end) * count,
    }


def norm_bytes(norm: Norm | None, size: int, width: int, heads: int = 1) -> int:
    """Bytes a token of a norm.

    RMS keeps its input in 32 bits, the normalised value and one 32-bit number a vector; LayerNorm its input and two numbers.
    """
    if norm is None:
        return 0
    if norm.kind == "layer":
        return (width * size + 2 * width) * heads
    return (4 * size + width * size + 4) * heads


def _block(block: Block, stack: Stack, width: int) -> int | None:
    total = 0
    for sublayer in block.sublayers:
        each = _sublayer(sublayer, stack, width)
        if each is None:
            return None
        total += each
    return total


def _sublayer(sublayer: Sublayer, stack: Stack, width: int) -> int | None:
    hidden = stack.hidden_size
    total = width * hidden + sum(
        norm_bytes(n, hidden, width) for n in (sublayer.norm, sublayer.norm_after, sublayer.norm_residual, *sublayer.mixer_norms.values())
    )
    for mixer in sublayer.mixers:
        each = None if mixer.kind not in KINDS else _module(mixer.kind).saved(mixer, hidden, width)
        if each is None:
            return None
        total += each
    return total


def _scores(mixer: Any, width: int) -> int:
    """Bytes a pair that an eager kernel keeps: probabilities in 32 bits and at the dtype."""
    return getattr(mixer, "query_heads", 0) * (4 + width)
