"""Inkling's language model: relative positions, short convolutions on keys, values and outputs, shared experts that the router scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Stack, Sublayer
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.moe import Router
from ..architecture.mixers.token_filter import TokenFilter
from ..architecture.norm import Norm
from ._read.blocks import SPARSE, dense_first, feeds
from ._read.decoder import causal_model, gated, rms
from ._read.hybrid import marked, two_step
from ._read.layers import depth, every, listed
from ._read.moe import routed
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("inkling_text",)

HYBRID, SLIDING = "hybrid", "hybrid_sliding"

GATE, SHARED = "mlp.gate", "mlp.shared_experts"

NAMES = LLAMA.but(
    {
        "embedding_norm": "model.embed_tokens.embed_norm",
        "key_filter.conv": "self_attn.k_sconv.conv1d",
        "value_filter.conv": "self_attn.v_sconv.conv1d",
        "attention_filter.conv": "attn_sconv.conv1d",
        "forward_filter.conv": "mlp_sconv.conv1d",
        "attention.relative": "self_attn.r_proj",
        "attention.profiles": "self_attn.rel_logits_proj.proj!",
        "feed_forward.scale": "mlp.global_scale!",
        "feed_forward.router_scale": f"{GATE}.global_scale!",
        "feed_forward.correction": f"{GATE}.e_score_correction_bias!",
        "feed_forward.shared_gate": f"{SHARED}.gate_proj!",
        "feed_forward.shared_up": f"{SHARED}.up_proj!",
        "feed_forward.shared_down": f"{SHARED}.down_proj!",
        "moe.expert.gate_up": "mlp.experts.gate_up_proj!",
        "moe.expert.down": "mlp.experts.down_proj!",
    }
)


def architecture(c: Settings) -> Architecture:
    """Sliding layers have heads of their own; every sublayer ends in a short convolution. The head is never tied."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    kernel = c.int("conv_kernel_size")

    def mixing(kind: str) -> Sublayer:
        heads = attention(c, kind, norm)
        width, extent = heads.kv_heads * heads.head_dim, c.int("sliding_window_size") if kind == SLIDING else c.int("rel_extent")
        filters = [
            TokenFilter(name=f"{part}_filter", channels=size, kernel=kernel)
            for part, size in (("key", width), ("value", width), ("attention", hidden))
        ]
        relative = [
            Projection(name="relative", shape=[heads.query_heads * c.int("d_rel"), hidden], component="attention"),
            Projection(name="profiles", shape=[c.int("d_rel"), extent], component="position_embedding", uses=heads.query_heads),
        ]
        return Sublayer(name="attention", mixers=[heads, *filters], norm=norm, projections=relative)

    def feeding(kind: str) -> Sublayer:
        last = TokenFilter(name="forward_filter", channels=hidden, kernel=kernel)
        if kind != SPARSE:
            inner = "dense_intermediate_size" if c.data.get("dense_intermediate_size") is not None else "intermediate_size"
            scale = Projection(name="scale", shape=[1], multiplies=False, component="mlp")
            return Sublayer(name="feed_forward", mixers=[gated(c, inner), last], norm=norm, projections=[scale])
        return sparse(c, hidden, norm, last)

    kinds = listed(c, layers, known=(HYBRID, SLIDING)) or placed(c, layers)
    blocks = two_step(kinds, mixing, feeds(c, layers, dense_first(c.optional_int("dense_mlp_idx") or 0, layers)), feeding)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, embedding_norm=norm, final_norm=norm), tied=False)


def placed(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Sliding layers by `local_layer_ids`, else all but each sixth."""
    local = c.list("local_layer_ids")
    return every(layers, 6, HYBRID, SLIDING) if local is None else marked(layers, local, SLIDING, HYBRID)


def attention(c: Settings, kind: str, norm: Norm) -> Attention:
    """The heads of a layer of that kind, normalised each."""
    prefix, mask = ("swa_", Mask(kind="sliding", window=c.int("sliding_window_size"))) if kind == SLIDING else ("", CAUSAL)
    width = c.int(f"{prefix}head_dim")
    head_norm = Norm(eps=norm.eps, size=width)
    return Attention(
        query_heads=c.int(f"{prefix}num_attention_heads"),
        kv_heads=c.int(f"{prefix}num_key_value_heads"),
        head_dim=width,
        query_norm=head_norm,
        key_norm=head_norm,
        scale=1.0 / width,
        mask=mask,
        dropout=c.number("attention_dropout") or 0.0,
    )


def sparse(c: Settings, hidden: int, norm: Norm, last: TokenFilter) -> Sublayer:
    """Routed experts, and shared ones in three tensors, which the router scores beside the others.

    In a file with `dense_intermediate_size` the experts' width is `intermediate_size`.
    """
    width = "intermediate_size" if c.data.get("dense_intermediate_size") is not None else "moe_intermediate_size"
    shared, inner = c.int("n_shared_experts"), c.int(width)
    router = Router(scoring="sigmoid", normalise=True, scale=c.number("route_scale") or 1.0, extra_scores=shared)
    experts = routed(c, experts="n_routed_experts", width=width, router=router, storage="stacked")
    parts = [
        Projection(name="router_scale", shape=[1], multiplies=False, component="router"),
        Projection(name="correction", shape=[experts.experts], multiplies=False, component="router", buffer=True, dtype="float32"),
        *(Projection(name=f"shared_{part}", shape=[shared, inner, hidden], component="shared_experts") for part in ("gate", "up")),
        Projection(name="shared_down", shape=[shared, hidden, inner], component="shared_experts"),
    ]
    return Sublayer(name="feed_forward", mixers=[experts, last], norm=norm, projections=parts)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Inkling checkpoint of the language model."""
    return model(a, NAMES)
