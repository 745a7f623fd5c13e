"""Question 5: experts a token, capacity, balance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answer import Answer, derived, from_key, of_class, setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Model
    from ..rules._context import Context, Scope

QUESTION = "How many experts, how many a token, which capacity, what keeps them balanced?"
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")


def answers(context: Context, model: Model, scope: Scope) -> Iterator[Answer]:
    """The mixture, or that there is none."""
    specs: dict[Any, int] = {}
    for block in model.architecture.main.blocks:
        for sublayer in block.sublayers:
            for mixer in sublayer.mixers:
                if mixer.kind == "moe":
                    key = mixer.model_dump_json()
                    specs[key] = specs.get(key, 0) + len(block.layers)
                    found: Any = mixer
    if not specs:
        yield derived("experts", 0, "no layer has experts: dense")
        return
    yield from_key(context, scope, "experts", found.experts, *EXPERTS)
    yield from_key(
        context, scope, "experts a token", found.experts_per_token, "num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_k"
    )
    yield from_key(
        context, scope, "shared experts", found.shared_experts, "n_shared_experts", "num_shared_experts", "shared_expert_intermediate_size"
    )
    yield derived("layers with experts", sum(specs.values()), "of the layer pattern")
    yield of_class(
        scope,
        "router",
        f"{found.router.scoring}, {found.router.order.replace('_', ' ')}{', renormalised' if found.router.normalise else ''}",
    )
    if found.router.groups and found.router.groups > 1:
        yield from_key(context, scope, "groups", f"{found.router.groups_per_token} of {found.router.groups}", "n_group", "topk_group")
    if found.router.correction != "none":
        yield of_class(scope, "balance", "a bias on the choice, no loss needed")
    elif found.balance.auxiliary_loss is not None:
        yield from_key(
            context,
            scope,
            "balance",
            f"auxiliary loss, coefficient {found.balance.auxiliary_loss:g}",
            "router_aux_loss_coef",
            "aux_loss_alpha",
        )
    else:
        yield setting(context, "train", "aux_loss", "balance")
    if found.capacity_factor is not None:
        yield from_key(
            context, scope, "capacity factor", found.capacity_factor, "capacity_factor", "moe_capacity_factor", "expert_capacity"
        )
    else:
        yield setting(context, "train", "capacity_factor", "capacity factor")
