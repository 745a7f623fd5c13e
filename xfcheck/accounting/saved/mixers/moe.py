"""Experts: k rows a token through networks of their own, and the shared ones beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..norms import WIDE
from ..tape import Tape, UnknownError, Value
from . import mlp

if TYPE_CHECKING:
    from ....architecture.mixers.moe import MoE


def run(tape: Tape, spec: MoE, x: Value, hidden: int) -> Value:
    """The router, k copies of a token and what they keep, each times its weight and added up; indices are left out.

    Where all experts see all tokens, each copy is weighted before it passes. Raises UnknownError.
    """
    router, k = spec.router, spec.experts_per_token
    if router.product_keys or router.norm is not None or router.input_size or router.extra_scores or router.zero_experts:
        raise UnknownError("a router with a network, identities or product keys")
    logits = tape.cast(tape.linear(x, spec.experts), WIDE)
    wide = hidden if spec.input_size is None else spec.input_size
    if spec.multiplied == "all":
        if router.scoring != "sigmoid":
            raise UnknownError("experts that all tokens pass")
        tape.own(logits)
        chosen = Tape(tape.batch, tape.new * spec.experts, tape.width, tiled=tape.tiled)
        mlp.run(chosen, spec.expert, chosen.times(chosen.make(wide), chosen.make(1)), hidden)
    else:
        weights = _choice(tape, spec, logits)
        chosen = Tape(tape.batch, tape.new * k, tape.width, tiled=tape.tiled)
        out = mlp.run(chosen, spec.expert, chosen.make(wide), hidden)
        chosen.keep(chosen.times(out, chosen.like(chosen.make(1), weights.width)))
    tape.bytes += chosen.bytes
    if spec.shared is not None:
        always = mlp.run(tape, spec.shared, x, hidden)
        if spec.shared_gate:
            tape.linear(x, 1)
            tape.times(always, tape.own(tape.make(1)))
    return tape.make(hidden)


def _choice(tape: Tape, spec: MoE, logits: Value) -> Value:
    """Weights of the chosen, `[t, k]`; where none is chosen the scores lead to nothing."""
    router, k = spec.router, spec.experts_per_token
    if not k:
        return tape.make(0, WIDE)
    if router.softcap is not None:
        logits = tape.own(logits)
    first = router.order == "score_then_topk"
    if first:
        _scored(tape, router.scoring, logits)
    weights = tape.make(k, WIDE)
    if not first:
        weights = _scored(tape, router.scoring, weights)
    if router.normalise and (first or router.scoring != "softmax"):
        weights = tape.times(weights, tape.make(1, WIDE))
    return weights


def _scored(tape: Tape, scoring: str, logits: Value) -> Value:
    if scoring in ("softmax", "sigmoid"):
        return tape.own(logits)
    if scoring == "sqrtsoftplus":
        return tape.own(tape.of(logits))
    raise UnknownError(f"a router that scores by {scoring}")
