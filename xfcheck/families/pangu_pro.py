"""Pangu Pro MoE (arXiv 2505.21411): Qwen2's experts in eight groups, of each of which a token takes as many, under trained scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ._read.blocks import DENSE, SPARSE, decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.hybrid import marked
from ._read.layers import depth
from ._read.moe import routed, shared_experts
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("PanguProMoE",)

TABLE = published(
    "PanguProMoE",
    "PanguProMoEConfig",
    "configuration_pangu_moe.py of openPangu-Pro-MoE-72B",
    defaults={
        "vocab_size": 153376, "hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8,
        "hidden_act": "silu", "max_position_embeddings": 131072, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
        "moe_intermediate_size": 1344, "shared_expert_intermediate_size": 5376, "num_experts_per_tok": 8, "num_experts": 64,
        "mlp_only_layers": None, "intermediate_size": None,
    },
    models={"PanguProMoEForCausalLM": "causal", "PanguProMoEModel": "none"},
    theta=16000000.0,
)  # fmt: skip

NAMES = LLAMA.but(
    {
        "feed_forward.router_scale": "mlp.router_scale!",
        "moe.shared.gate": "mlp.shared_expert.gate_proj",
        "moe.shared.up": "mlp.shared_expert.up_proj",
        "moe.shared.down": "mlp.shared_expert.down_proj",
    },
    {},
)
GROUPS = 8
"""Groups that the experts stand in; a token takes equally many of each."""


def architecture(c: Settings) -> Architecture:
    """Biases around attention; a shared expert without a gate; the layers of `mlp_only_layers` are dense."""
    like(c, "read from what serves it; its paper gives 71.99 billion parameters, no file's total is known")
    c = under(c, TABLE)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    heads = attention(c, hidden, mask=CAUSAL, width=width, position=rotary(c, width), biases=QKVO)

    def sublayers(feed: str) -> list[Sublayer]:
        if feed == DENSE:
            return prenorm(heads, gated(c), norm)
        wide = c.int("shared_expert_intermediate_size", minimum=0)
        experts = routed(
            c, experts="num_experts", width="moe_intermediate_size", router=Router(groups=GROUPS, groups_per_token=GROUPS),
            shared=shared_experts(c, wide) if wide else None, shared_experts=1 if wide else 0,
        )  # fmt: skip
        scale = Projection(name="router_scale", shape=[1, experts.experts], multiplies=False, component="router")
        first, second = prenorm(heads, experts, norm)
        return [first, second.model_copy(update={"projections": [scale]})]

    feeds = marked(layers, c.list("mlp_only_layers") or [], DENSE, SPARSE)
    return causal_model(c, decoder_stack(hidden, {(feed,): held for feed, held in feeds.items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
