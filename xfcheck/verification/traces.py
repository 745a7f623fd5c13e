"""The shape ledger against the activations that a forward pass on `meta` really has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shapes import ledger
from .check import Check, compared, unknown

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from .execution import Executed

SHOWN = 4
INPUTS = ("token_ids", "features")
"""Ends of the names of what a pass is given."""


def traced(a: Architecture, done: Executed) -> Check:
    """Every activation that was seen is in the ledger with its shape, and the other way round."""
    if any(stack.padding is not None for stack in a.stacks):
        return unknown("shapes", "a stack fills up its tokens, which the list of activations does not")
    told = {
        x.name: x.shape
        for x in ledger(a, batch=done.batch, length=done.tokens, source=done.source, dtype="bfloat16", image=done.image, audio=done.audio)
        if not x.name.endswith(INPUTS)
    }
    wrong = [
        f"{name}: ledger {list(told[name]) if name in told else 'none'}, build {list(done.seen[name]) if name in done.seen else 'none'}"
        for name in sorted(told.keys() | done.seen.keys())
        if told.get(name) != done.seen.get(name)
    ]
    if wrong:
        return Check("shapes", len(told), len(done.seen), "differs", "; ".join(wrong[:SHOWN]))
    return compared("shapes", len(told), len(done.seen), "activations alike in name and shape, watched while the build ran on meta")
