"""How many experts a config has, how many serve a token, and from which groups they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._names import DIMENSIONS, first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.moe import MoE
    from .._context import Context, Scope


KEYS = (*DIMENSIONS["experts"].names, *DIMENSIONS["experts_per_token"].names)
"""A config without any of these has no routing of its own: what the class fills in is right."""


class Routing(NamedTuple):
    """`experts` that can be chosen (identities without weights included), `chosen` a token, and where the file says both.

    `groups` and `groups_chosen` are null where the choice is not limited. `scored` is how many scores of a group make the group's.
    """

    scope: Scope
    experts: int
    experts_at: str
    chosen: int | None
    chosen_at: str
    groups: int | None
    groups_chosen: int | None
    scored: int


def routings(context: Context) -> Iterator[Routing]:
    """One entry a config object with at least two experts: fewer mean none in the hybrids that write 0 or 1."""
    for scope in context.nested:
        experts = first(scope, "experts")
        if experts is None or experts[1] < 2:
            continue
        chosen = first(scope, "experts_per_token")
        groups, groups_chosen = scope.whole("n_group"), scope.whole("topk_group")
        yield Routing(
            scope,
            experts[1] + (scope.whole("zero_expert_num") or 0),
            scope.at(experts[0]),
            None if chosen is None else chosen[1],
            scope.at("num_experts_per_tok" if chosen is None else chosen[0]),
            groups if groups is not None and groups > 1 else None,
            groups_chosen,
            scored(context, scope),
        )


def mixer(context: Context) -> MoE | None:
    """The first mixture of experts of the model; null for a dense one and where none can be built."""
    from ...architecture.mixers.moe import MoE

    if context.model is None:
        return None
    stacks = context.model.architecture.stacks
    return next((m for s in stacks for b in s.blocks for sub in b.sublayers for m in sub.mixers if isinstance(m, MoE)), None)


def scored(context: Context, scope: Scope) -> int:
    """Scores of a group that are summed: the model's, else 1 for DeepSeek-V2's maximum and 2 for its successors."""
    found = mixer(context) if context.of_model(scope) else None
    if found is not None:
        return found.router.group_score_experts or 1
    return 1 if scope.model_type == "deepseek_v2" else 2
