"""Experts from the keys that several families share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.mixers.mlp import MLP
from ...architecture.mixers.moe import Balance, MoE, Router

if TYPE_CHECKING:
    from .settings import Settings


def routed(  # noqa: PLR0913 (every option is given by name)
    c: Settings,
    *,
    experts: str,
    width: str,
    router: Router,
    shared: MLP | None = None,
    shared_experts: int = 0,
    shared_gate: bool = False,
    per_token: str = "num_experts_per_tok",
    storage: str = "separate",
    bias: bool = False,
    gated: bool = True,
) -> MoE:
    """Routed experts of one width; the balance terms as the file gives them."""
    count = c.int(experts)
    return MoE(
        experts=count,
        experts_per_token=c.int(per_token, minimum=0),
        expert=MLP(intermediate_size=c.int(width), activation=c.text("hidden_act") or "silu", gated=gated, bias=bias, output_bias=bias),
        shared=shared, shared_experts=shared_experts, shared_gate=shared_gate, router=router,
        balance=Balance(auxiliary_loss=c.number("router_aux_loss_coef"), z_loss=c.number("router_z_loss_coef")),
        storage=storage,  # type: ignore[arg-type]
    )  # fmt: skip


def shared_experts(c: Settings, width: int, *, bias: bool = False) -> MLP:
    """All shared experts as one gated network; of width 0 where the class builds it all the same."""
    return MLP(intermediate_size=width, activation=c.text("hidden_act") or "silu", gated=True, bias=bias, output_bias=bias)
