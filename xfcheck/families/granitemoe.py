"""Granite 3 mixtures of experts: the experts of a layer in two tensors, a shared network in some, multipliers at every joint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, rms
from ._read.heads import head_width
from ._read.layers import depth
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..architecture.blocks import Sublayer
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("granitemoe", "granitemoeshared")

NAMES = LLAMA.but(
    {
        "moe.router": "block_sparse_moe.router.layer",
        "moe.expert.gate_up": "block_sparse_moe.input_linear",
        "moe.expert.down": "block_sparse_moe.output_linear",
        "moe.shared.gate_up": "shared_mlp.input_linear",
        "moe.shared.down": "shared_mlp.output_linear",
    },
    {
        "moe.router": "block_sparse_moe.router",
        "moe.expert.gate_up": "block_sparse_moe.experts.gate_up_proj!",
        "moe.expert.down": "block_sparse_moe.experts.down_proj!",
    },
)


def architecture(c: Settings) -> Architecture:
    """Every layer full and alike."""
    return described(c, cached(c, depth(c)), lambda kept: {"kept_tokens": kept})


def described(c: Settings, kinds: Mapping[Any, LayerSet], own: Callable[[Any], dict[str, Any]]) -> Architecture:
    """The architecture of the whole kind: `kinds` are the layers by kind, `own` is what a kind changes in its attention."""
    hidden, norm, width = c.int("hidden_size"), rms(c), head_width(c)
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []
    shared = (
        (c.optional_int("shared_intermediate_size") or 0) if c.table is not None and c.table.declares("shared_intermediate_size") else 0
    )
    experts = routed(
        c, experts="num_local_experts", width="intermediate_size", router=Router(normalise=True, order="topk_then_score"),
        storage="stacked",
        shared=MLP(intermediate_size=shared, activation=c.text("hidden_act") or "silu", packing="gate_up") if shared else None,
        shared_experts=1 if shared else 0,
    )  # fmt: skip
    factor, embedding, logits = c.number("residual_multiplier"), c.number("embedding_multiplier"), c.number("logits_scaling")

    def sublayers(kind: Any) -> list[Sublayer]:
        heads = attention(c, hidden, mask=CAUSAL, width=width, position=position, biases=biases, scale=c.number("attention_multiplier"))
        whole = prenorm(heads.model_copy(update=own(kind)), experts, norm)
        return [s.model_copy(update={"multiplier": 1.0 if factor is None else float(factor)}) for s in whole]

    stack = decoder_stack(hidden, {(kind,): held for kind, held in kinds.items()}, sublayers, norm)
    return causal_model(
        c, stack, multiplier=1.0 if embedding is None else float(embedding), head_multiplier=1.0 / logits if logits else 1.0
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Granite checkpoint."""
    return model(a, NAMES)
