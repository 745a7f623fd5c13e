"""A gated MLP has 3 d d_ff weights, a plain one 2 d d_ff.

A d_ff near 8 d / 3 spends what a plain one of 4 d does (a budget, no law).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torch_build.marks import Site, marks
from ..torch_build.mixers.mlp import MLPLayer
from ..verification.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """Weights of the built MLP against the formula; its ratio to the budget of 8 d squared is told."""
    for spec in x.of("mlp"):
        if spec.input_size is not None or spec.output_size is not None:
            continue
        import torch

        hidden = x.design.main.hidden_size
        with torch.device("meta"):
            layer = MLPLayer(spec, Site("text", None, hidden))
        held = sum(m.shape[0] * m.shape[1] for m in marks(layer) if m.multiplies)
        wanted = (3 if spec.gated else 2) * hidden * spec.intermediate_size
        why = f"d_ff / d is {spec.intermediate_size / hidden:.3g}; the matrices are {held / (8 * hidden * hidden):.3g} of 8 d^2"
        yield Check("law.gated_budget", wanted, held, "agreed" if held == wanted else "differs", why)
        return
