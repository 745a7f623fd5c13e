"""Laguna: gated attention with a head count a layer, sigmoid routing shifted by a trained bias, one shared expert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, dense_first, feeds, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, grouped, listed
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.routers import shifted_sigmoid
from ._read.windows import FULL, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("laguna",)

NAMES = LLAMA.but(
    {
        "attention.gate": "self_attn.g_proj",
        "moe.correction": "mlp.experts.e_score_correction_bias!",
        "moe.shared.gate": "mlp.shared_expert.gate_proj",
        "moe.shared.up": "mlp.shared_expert.up_proj",
        "moe.shared.down": "mlp.shared_expert.down_proj",
    },
    {
        "moe.correction": "mlp.gate.e_score_correction_bias!",
        "moe.shared.gate": "mlp.shared_experts.gate_proj",
        "moe.shared.up": "mlp.shared_experts.up_proj",
        "moe.shared.down": "mlp.shared_experts.down_proj",
    },
)


def architecture(c: Settings) -> Architecture:
    """`num_attention_heads_per_layer` beats `num_attention_heads`; `gating` is a gate a head (true, `per-head`) or an element of one."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window, head_norm = c.optional_int("sliding_window"), Norm(eps=norm.eps, size=width)
    biases = QKVO if c.flag("attention_bias") else []
    gate = "headwise" if c.raw("gating") in (True, "per-head") else "elementwise"
    router = shifted_sigmoid(
        c, scale="moe_routed_scaling_factor", correction="parameter", softcap=c.number("moe_router_logit_softcapping") or None
    )
    experts = routed(
        c, experts="num_experts", width="moe_intermediate_size", router=router, shared=shared_experts(c,
        c.int("shared_expert_intermediate_size", minimum=0)),
        shared_experts=1,
    )  # fmt: skip

    def sublayers(kind: str, count: str, feed: str) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=mask_of(c, kind, window), width=width, position=rotary(c, width, layer_type=kind), biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
        ).model_copy(update={"query_heads": int(count), "gate": gate})  # fmt: skip
        return prenorm(heads, gated(c) if feed == DENSE else experts, norm)

    kinds = listed(c, layers) or {FULL: LayerSet.first(layers)}
    placed = crossed(crossed(kinds, counts(c, layers)), feeds(c, layers, dense_first(1, layers)))
    return causal_model(c, decoder_stack(hidden, {(*both, feed): held for (both, feed), held in placed.items()}, sublayers, norm))


def counts(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Query heads -> the layers that have as many.

    Raises Refused XF114 for a list of another length, XF113 for entries that are no numbers.
    """
    given = c.list("num_attention_heads_per_layer")
    if given is None:
        return {str(c.int("num_attention_heads")): LayerSet.first(layers)}
    if len(given) != layers:
        raise c.refuse(
            "num_attention_heads_per_layer", f"num_attention_heads_per_layer has {len(given)} entries for {layers} layers", code="XF114"
        )
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in given):
        raise c.refuse("num_attention_heads_per_layer", "num_attention_heads_per_layer holds something else than numbers of heads")
    return grouped(str(n) for n in given)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Laguna checkpoint."""
    return model(a, NAMES)
