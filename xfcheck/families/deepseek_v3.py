"""DeepSeek-V3 and R1 (arXiv 2412.19437): latent attention, fine-grained experts balanced by a bias, dense first layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.latent_attention import LatentAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.decoder import causal_model, gated, rms
from ._read.layers import depth
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.undeclared import cache_window
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deepseek_v3",)


def architecture(c: Settings) -> Architecture:
    """`first_k_dense_replace` dense layers, experts after; the number of KV heads alters nothing."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    dense = min(c.optional_int("first_k_dense_replace") or 0, layers)
    heads = latent(c)
    parts = (("dense", LayerSet((range(dense),))), ("sparse", LayerSet((range(dense, layers),))))
    blocks = [
        Block(
            name=feed,
            layers=held,
            sublayers=[
                Sublayer(name="attention", mixers=[heads], norm=norm),
                Sublayer(name="feed_forward", mixers=[gated(c) if feed == "dense" else experts(c)], norm=norm),
            ],
        )
        for feed, held in parts
        if len(held)
    ]
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def latent(c: Settings) -> LatentAttention:
    """`attention_bias` is on the two down projections and the output, never on the up projections."""
    rope = c.int("qk_rope_head_dim")
    ranked = c.optional_int("q_lora_rank", minimum=1)
    return LatentAttention(
        query_heads=c.int("num_attention_heads"), query_rank=ranked, kv_rank=c.int("kv_lora_rank"), nope_dim=c.int("qk_nope_head_dim"), rope_dim=rope,
        value_dim=c.int("v_head_dim"), biases=["query_a", "kv_a", "output"] if c.flag("attention_bias") else [], latent_norm=Norm(eps=1e-6), mask=CAUSAL,
        position=rotary(c, rope, layout="interleaved" if c.flag("rope_interleave", True) else "half"), kept_tokens=cache_window(c),
        dropout=c.number("attention_dropout") or 0.0,
    )  # fmt: skip


def experts(c: Settings) -> MoE:
    """Sigmoid scores, groups of experts, a correction bias that is a buffer, and shared experts as one MLP."""
    shared = c.optional_int("n_shared_experts") or 0
    return routed(
        c, experts="n_routed_experts", width="moe_intermediate_size",
        router=Router(
            scoring="sigmoid", normalise=c.flag("norm_topk_prob"), scale=c.number("routed_scaling_factor") or 1.0, correction="buffer",
            groups=c.optional_int("n_group"), groups_per_token=c.optional_int("topk_group"), group_score_experts=2,
        ),
        shared=MLP(intermediate_size=c.int("moe_intermediate_size") * shared, activation=c.text("hidden_act") or "silu"), shared_experts=shared,
    )  # fmt: skip


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeepSeek-V3 checkpoint."""
    return model(a, LLAMA)
