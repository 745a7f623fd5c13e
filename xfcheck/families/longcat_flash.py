"""LongCat-Flash (arXiv 2509.01322): two attentions and two dense networks a layer, experts on a shortcut, some of them identities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.mixers.moe import Router
from ._read.decoder import causal_model, gated, rms
from ._read.latent import latent
from ._read.moe import routed
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.mixers.latent_attention import LatentAttention
    from ..architecture.mixers.mlp import MLP
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("longcat_flash",)

HALVES = ("0", "1")
PARTS = ("query_a", "query_norm", "query_b", "kv_a", "kv_norm", "kv_b", "output")

NAMES = LLAMA.but(
    {
        **{
            f"attention_{i}.{part}": LLAMA.checkpoint[f"latent_attention.{part}"].replace("self_attn.", f"self_attn.{i}.")
            for i in HALVES
            for part in PARTS
        },
        **{f"mlp_{i}.{part}": f"mlps.{i}.{part}_proj" for i in HALVES for part in ("gate", "up", "down")},
        **{f"attention_{i}.norm": f"input_layernorm.{i}" for i in HALVES},
        **{f"feed_forward_{i}.norm": f"post_attention_layernorm.{i}" for i in HALVES},
        "moe.router": "mlp.router.classifier",
        "moe.correction": "mlp.router.e_score_correction_bias!",
    }
)


def architecture(c: Settings) -> Architecture:
    """`num_layers` double layers; a `num_hidden_layers` in the file is twice that number and wins."""
    norm = rms(c)
    double = c.optional_int("num_hidden_layers", minimum=2, maximum=LIMIT)
    layers = c.int("num_layers", maximum=LIMIT) if double is None else double // 2
    halves = [half(c, layers, i, norm, experts(c) if i == "0" else None) for i in HALVES]
    block = Block(name="double", layers=LayerSet.first(layers), sublayers=[sublayer for both in halves for sublayer in both])
    return causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=[block], final_norm=norm))


def half(c: Settings, layers: int, index: str, norm: Norm, beside: MoE | None) -> list[Sublayer]:
    """Attention and dense network of one half; the experts read what the first half's network reads."""
    kept = list(cached(c, 2 * layers))
    attention: LatentAttention = latent(c, ranked=True, interleaved=True).model_copy(
        update={"kept_tokens": kept[0] if len(kept) == 1 else None}
    )
    width = c.optional_int("qk_head_dim", minimum=1)
    dense: MLP = gated(c, "ffn_hidden_size").model_copy(update={"name": f"mlp_{index}"})
    return [
        Sublayer(
            name=f"attention_{index}", mixers=[attention.model_copy(update={"name": f"attention_{index}", "query_dim": width})], norm=norm
        ),
        Sublayer(name=f"feed_forward_{index}", mixers=[dense] if beside is None else [dense, beside], norm=norm),
    ]


def experts(c: Settings) -> MoE:
    """Softmax scores over experts and identities; gate and up keep rows for the identities that nothing reads."""
    return routed(
        c, experts="n_routed_experts", width="expert_ffn_hidden_size", per_token="moe_topk",
        router=Router(
            scale=c.number("routed_scaling_factor") or 1.0, correction="buffer", bias=c.flag("router_bias"),
            zero_experts=c.int("zero_expert_num", minimum=0),
        ),
    )  # fmt: skip


def ledger(a: Architecture) -> list[Row]:
    """The rows of a LongCat-Flash checkpoint."""
    return model(a, NAMES)
