"""NLLB-MoE (Costa-jussa et al. 2022, arXiv 2207.04672): M2M-100 with experts in every few layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block
from ..architecture.layers import LayerSet
from ..architecture.mixers.moe import Balance, MoE, Router
from ._read.encoder_decoder import Style, encoder_decoder, feed_forward
from ._read.layers import every
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("nllb-moe",)

STYLE = Style(pre_norm=True, final_norm=True, embedding_norm=False, positions="none", offset=2, logits_bias=False)

NAMES = BART.but(
    {
        **{
            f"cross_attention.{part}": f"cross_attention.{name}"
            for part, name in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "out_proj"))
        },
        "cross_attention.norm": "cross_attention_layer_norm",
        "feed_forward.norm": "ff_layer_norm",
        "mlp.up": "ffn.fc1",
        "mlp.down": "ffn.fc2",
        "moe.router": "ffn.router.classifier",
        "moe.expert.up": "ffn.experts.expert_{expert}.fc1",
        "moe.expert.down": "ffn.experts.expert_{expert}.fc2",
    }
)


def architecture(c: Settings) -> Architecture:
    """Pre-norm, computed positions; experts in each `encoder_sparse_step`-th and `decoder_sparse_step`-th layer."""
    a = encoder_decoder(c, STYLE)
    return a.model_copy(update={"stacks": [sparse(c, stack) for stack in a.stacks]})


def sparse(c: Settings, stack: Stack) -> Stack:
    """The last layer of each step has experts; a step of 0 means none."""
    layers, step = stack.depth, c.int(f"{stack.stream}_sparse_step", minimum=0)
    kinds = every(layers, step, "sparse", "dense") if step else {"dense": LayerSet.first(layers)}
    blocks = []
    for plain in stack.blocks:
        last = plain.sublayers[-1].model_copy(update={"mixers": [experts(c, stack.stream)]})
        for kind, held in kinds.items():
            both = plain.layers.intersection(held)
            steps = plain.sublayers if kind == "dense" else [*plain.sublayers[:-1], last]
            if len(both):
                blocks.append(Block(name=kind, layers=both, sublayers=steps))
    return stack.model_copy(update={"blocks": blocks})


def experts(c: Settings, stream: str) -> MoE:
    """Two experts a token; transformers 5.24 multiplies as many times as there are experts (modeling_nllb_moe.py, NllbMoeExperts)."""
    count = c.int("num_experts")
    return MoE(
        experts=count,
        experts_per_token=min(2, count),
        expert=feed_forward(c, stream),
        router=Router(bias=c.flag("router_bias"), normalise=c.flag("normalize_router_prob_before_dropping")),
        balance=Balance(auxiliary_loss=c.number("router_aux_loss_coef"), z_loss=c.number("router_z_loss_coef")),
        overflow="drop",
        multiplied="all",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of an NLLB-MoE checkpoint."""
    return bart_rows(a, NAMES)
