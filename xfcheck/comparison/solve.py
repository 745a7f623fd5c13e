"""The feed-forward width at which a variant costs what the config as written costs.

A gated network has three matrices and a plain one two, so that 4 d becomes 8 d / 3 for the same parameters (Shazeer 2020, arXiv
2002.05202, section 3); the same
exchange pays for other attention, other depth, another vocabulary.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..problems import Refused, Usage
from .parts import of_kind

if TYPE_CHECKING:
    from .draft import Draft

KEEPS = ("parameters", "flops")


def kept(draft: Draft, base: Draft, keep: str, multiple: int = 1) -> Draft:
    """The draft with d_ff (the experts' width where the model has experts) solved for, to the nearest multiple.

    It is unchanged where it costs the same already.
    `parameters`: all unique ones. `flops`: of the prefill over visible pairs at the same context. Both are linear in d_ff. Raises
    Refused XF117 where no
    width from `multiple` up gives as little.
    """
    from .variants import with_dimension

    if keep not in KEEPS:
        raise Usage(f"--keep is {' or '.join(KEEPS)}, not {keep!r}")
    target = _amount(base, keep)
    if _amount(draft, keep) == target:
        return draft
    a = draft.model.architecture
    name = "expert_size" if of_kind(a, "moe") else "d_ff"
    widths = [s.expert.intermediate_size for s in of_kind(a, "moe")] or [s.intermediate_size for s in of_kind(a, "mlp")]
    if not widths:
        raise Refused("no layer has a feed-forward network whose width could be solved for", code="usage")
    low, high = multiple, 2 * multiple
    first, second = (_amount(with_dimension(draft, name, width), keep) for width in (low, high))
    slope = second - first
    steps = (2 * (target - first) + slope) // (2 * slope)
    width = multiple * (1 + steps)
    if width < multiple:
        raise Refused(f"even with {name} {multiple} it has more {keep} than before: nothing is left to exchange", code="XF117")
    return replace(with_dimension(draft, name, width), settled=((name, width),))


def _amount(draft: Draft, keep: str) -> int:
    from .variants import cost

    spent = cost(draft)
    return int(spent["parameters"]["total"] if keep == "parameters" else spent["flops"]["prefill"]["total_visible"])
