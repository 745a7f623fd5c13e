"""Which messages several processes exchange for a config, and how large they are; no torch."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from ..accounting.walk import mixers

if TYPE_CHECKING:
    from ..model import Model

BUS = {"all-reduce": 2, "all-gather": 1, "all-to-all": 1}
"""How often (n - 1) / n of a message's bytes pass a link of each rank (nccl-tests, doc/PERFORMANCE.md)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One collective: `elements` is the size as nccl-tests means it.

    That is the buffer of an all-reduce, what each rank has after an all-gather, what each rank sends in an all-to-all, its own share
    included. `times`: how many of them one forward pass has; `formula` says where the size is from.
    """

    collective: str
    purpose: str
    elements: int
    times: int
    formula: str

    def padded(self, ranks: int) -> int:
        """Elements, as a multiple of the ranks."""
        return ceil(self.elements / ranks) * ranks

    def bus(self, bytes_per_s: float, ranks: int) -> float:
        """Bus bandwidth from algorithm bandwidth: what a link carried, so that numbers of different ranks compare with the hardware."""
        return bytes_per_s * BUS[self.collective] * (ranks - 1) / ranks


def messages(model: Model, tokens: int) -> list[Message]:
    """The messages of a forward pass over `tokens` tokens a rank.

    Tensor parallel: the output of each sublayer is summed over the ranks (Megatron-LM); with sequence parallelism an all-gather of the same
    size stands before it. Sharded data parallel: the weights of a layer are gathered; the largest layer. Experts over all ranks:
    each token goes to k of them, its hidden vector each time, and comes back. A router that spreads evenly is assumed.
    """
    hidden = max(stack.hidden_size for stack in model.architecture.stacks)
    sublayers = sum(len(b.sublayers) * len(b.layers) * b.uses for stack in model.architecture.stacks for b in stack.blocks)
    out = [
        Message("all-reduce", "tensor parallel", tokens * hidden, sublayers, f"{tokens} tokens x {hidden}"),
        Message("all-gather", "sequence parallel", tokens * hidden, sublayers, f"{tokens} tokens x {hidden}"),
    ]
    weights, count = _largest_layer(model)
    if weights:
        out.append(Message("all-gather", "sharded weights", weights, count, f"{weights} parameters of the largest layer"))
    experts = [
        (placed.mixer, placed.count, placed.stack.hidden_size) for placed in mixers(model.architecture) if placed.mixer.kind == "moe"
    ]
    if experts:
        spec, _, width = experts[0]
        chosen: int = spec.experts_per_token  # type: ignore[attr-defined]
        formula = f"{tokens} tokens x {chosen} experts x {width}"
        layers = sum(n for _, n, _ in experts)
        out.append(Message("all-to-all", "dispatch to experts", tokens * chosen * width, 2 * layers, f"{formula}; as many back"))
    return out


def _largest_layer(model: Model) -> tuple[int, int]:
    """(parameters of the largest layer, number of layers): rows of a ledger are per layer."""
    sizes: dict[int, int] = {}
    for row in model.rows:
        if row.layers is not None and row.counted:
            for layer in row.layers:
                sizes[layer] = sizes.get(layer, 0) + row.elements // len(row.layers)
    return (max(sizes.values()), len(sizes)) if sizes else (0, 0)
