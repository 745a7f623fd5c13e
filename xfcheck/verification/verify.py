"""All checks of one model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ledger import total
from .check import Check, compared, unknown

if TYPE_CHECKING:
    from ..laws.device import Place
    from ..model import Model

EXECUTED = ("flops.prefill", "flops.decode", "cache.bytes", "shapes")
"""Checks that need a forward pass."""


def verify(model: Model, *, laws: Place | None = None, against: str | None = None, timeout: int = 120) -> list[Check]:
    """Every check, in order: tensors, then costs and shapes as executed on `meta`, then laws and references where asked for.

    `laws`: the device that they run on, null for no laws. Nothing is raised for what cannot be built: such a check is `not_verified`, with
    the part's name. Raises Usage where `against` is no reference.
    """
    checks = [*_built(model), *_executed(model), _saved(model)]
    if laws is not None:
        from ..laws import judge

        checks += judge(model, laws)
    if against is not None:
        from .against import reference

        checks += reference(model, against, timeout=timeout)
    return checks


def _built(model: Model) -> list[Check]:
    """Parameters and tensors of the ledger against the build."""
    from ..torch_build.model import build
    from ..torch_build.runnable import unbuilt
    from .tensors import compare

    a = model.architecture
    missing = unbuilt(a)
    if missing:
        why = f"no modules here for mixers of kind {', '.join(missing)}"
        return [unknown("parameters.total", why, total(model.rows)), unknown("ledger", why)]
    try:
        made = build(a)
    except (RuntimeError, ValueError) as error:
        why = f"the build cannot be made: {' '.join(str(error).split())[:200]}"
        return [unknown("parameters.total", why, total(model.rows)), unknown("ledger", why)]
    return [
        compared(
            "parameters.total", total(model.rows), made.parameter_total(), "the ledger's fold and the build on meta, tied tensors once"
        ),
        compare(model.rows, made.tensors(), a),
    ]


def _executed(model: Model) -> list[Check]:
    from ..torch_build.runnable import unbuilt, uncounted
    from .costs import costs
    from .execution import execute
    from .traces import traced

    a = model.architecture
    reasons = uncounted(a)
    if reasons or unbuilt(a):
        return [unknown(check, f"no forward here for {', '.join(reasons)}") for check in EXECUTED]
    try:
        done = execute(a)
    except (NotImplementedError, ValueError, RuntimeError, IndexError) as error:
        said = " ".join(str(error).split())[:200]
        return [unknown(check, f"the build does not run: {said}") for check in EXECUTED]
    return [*costs(a, model.rows, done), traced(a, done)]


def _saved(model: Model) -> Check:
    """What a pass keeps for the backward one, of a scaled-down instance that is run."""
    from ..torch_build.runnable import unbuilt, unrunnable
    from .saved import activations

    a = model.architecture
    return activations(model, [*unrunnable(a), *(f"mixers of kind {kind!r}" for kind in unbuilt(a))])


def answer(model: Model, checks: list[Check]) -> dict[str, Any]:
    """The JSON object of `verify` without its path."""
    said = [check.verdict for check in checks]
    return {
        "model_type": model.model_type, "family": model.family, "fidelity": model.fidelity,
        "verdict": "differs" if "differs" in said else "agreed" if "agreed" in said else "not_verified",
        "rows": [check.row() for check in checks],
    }  # fmt: skip
