"""Parts that Qwen3-Next and the models after it share: attention with an output gate, experts beside a gated shared one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.masks import CAUSAL
from ...architecture.mixers.moe import Router
from ...architecture.norm import Norm
from .decoder import QKVO, attention, head_dim
from .moe import routed, shared_experts
from .rotary import rotary

if TYPE_CHECKING:
    from ...architecture.mixers.attention import Attention
    from ...architecture.mixers.moe import MoE
    from .settings import Settings


def gated_attention(c: Settings, hidden: int, norm: Norm) -> Attention:
    """Grouped-query attention whose query projection has a gate beside each query; norms a head, a quarter of each head rotated."""
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    head_norm = Norm(eps=norm.eps, size=width, unit_offset=norm.unit_offset)
    plain = attention(
        c,
        hidden,
        mask=CAUSAL,
        position=rotary(c, width, partial=0.25),
        biases=QKVO if c.flag("attention_bias") else [],
        query_norm=head_norm,
        key_norm=head_norm,
        width=width,
    )
    return plain.model_copy(update={"gate": "query"})


def experts(c: Settings, *, normalise: bool | None = None, storage: str = "separate") -> MoE:
    """Experts of a softmax router and one shared expert under a sigmoid gate; `normalise`: weights sum to one (`norm_topk_prob`)."""
    return routed(
        c,
        experts="num_experts",
        width="moe_intermediate_size",
        shared=shared_experts(c, c.int("shared_expert_intermediate_size")),
        shared_experts=1,
        shared_gate=True,
        router=Router(normalise=c.flag("norm_topk_prob") if normalise is None else normalise),
        storage=storage,
    )
