"""Mixture of attention heads (Zhang et al. 2022, arXiv 2210.05144), as JetMoE uses it (arXiv 2404.07413)."""

from typing import ClassVar, Literal

from .attention import Attention
from .moe import Router


class ExpertAttention(Attention):
    """Attention whose query and output projections are chosen a token; keys and values are shared by all.

    An expert is a pair of query `[kv_heads * head_dim, d]` and output `[d, kv_heads * head_dim]`, all of them stacked in front;
    `experts_per_token` of `experts` serve a token, so `query_heads` is kv_heads * experts_per_token. `shared_bias`: one bias of d
    on the sum.
    """

    component: ClassVar[str] = "attention"
    kind: Literal["expert_attention"] = "expert_attention"  # type: ignore[assignment]
    experts: int
    experts_per_token: int
    router: Router = Router()
    shared_bias: bool = True
