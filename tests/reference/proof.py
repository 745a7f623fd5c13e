"""A model type held to transformers: its base config and every variant of it."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from .differences import PARTS, compared
from .variants import sampled, variants

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

REFERENCE = "transformers 5.24.0"


@dataclass
class Proof:
    """What was found of one type.

    `found` maps part -> variant -> differences, `soft` the same for variants that the reference builds and cannot run; `checked` are the
    parts for which the base config gave facts; `outcomes` counts variants by what came of them; `notes` say why the reference gave none.
    """

    model_type: str
    found: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    soft: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def proven(self) -> list[str]:
        """Parts for which the base gave facts and nothing differs in any variant; all but the cache only where the tensors are right."""
        right = [part for part in PARTS if part in self.checked and part not in self.found]
        return right if "parameters" in right else [part for part in right if part == "cache"]

    def lines(self, shown: int = 6) -> list[str]:
        """The differences, one line a variant, alike parts joined."""
        joined: dict[tuple[str, str], list[str]] = {}
        for found, remark in ((self.found, ""), (self.soft, " (the reference builds this and cannot run it)")):
            for part, by_label in found.items():
                for label, messages in by_label.items():
                    joined.setdefault((label, "; ".join(messages) + remark), []).append(part)
        out = [f"{self.model_type} {label} [{', '.join(parts)}]: {text}" for (label, text), parts in joined.items()]
        return out if len(out) <= shown else [*out[:shown], f"{self.model_type}: {len(out) - shown} more"]


def prove(model_type: str, *, build: Callable[[str], bool] = lambda _: True, run: Callable[[str], bool] | None = None) -> Proof:
    """Compare the base and the variants whose label `build` takes; execute those that `run` takes, by default all but the larger ones."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    proof = Proof(model_type)
    for label, data in variants(model_type):
        if label == "base" or build(label):
            executes = label == "base" or (not label.startswith("larger ") if run is None else run(label))
            add(proof, label, data, executes)
    return proof


def add(proof: Proof, label: str, data: dict[str, Any], executes: bool) -> None:
    """Judge one variant."""
    verdict = compared(data, run=executes, torch_counts=label == "base")
    if verdict.found and not executes:  # a difference in what cannot run is a soft one
        verdict = compared(data)
    proof.outcomes[verdict.outcome] += 1
    if label == "base":
        proof.checked |= verdict.checked
        proof.notes.update(verdict.notes)
        if verdict.outcome != "compared":
            proof.notes["base"] = verdict.outcome
    soft = label != "base" and "prefill" in verdict.notes and "prefill" not in proof.notes
    for part, messages in verdict.found.items():
        (proof.soft if soft else proof.found).setdefault(part, {})[label] = messages


def sample(model_type: str, builds: int, runs: int) -> Proof:
    """The proof on a sample: one in `builds` variants built, one in `runs` of those executed. The same variants every time."""
    return prove(
        model_type,
        build=lambda label: sampled(model_type, label, builds),
        run=lambda label: not label.startswith("larger ") and sampled(model_type, f"run {label}", runs),
    )
