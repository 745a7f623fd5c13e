"""Hunyuan V4: sparse latent attention with sinks and an output gate, in residual streams joined by hyper-connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Stack, Sublayer
from ._read.decoder import causal_model, gated, rms
from ._read.latent import DENSE, FULL_INDEX, SHARED_INDEX, block, deepseek_experts, feeds, indexed, indexer, latent
from ._read.layers import crossed, depth, grouped, listed
from ._read.streams import hyper_connection
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Block
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hy_v4", "hy_v4_vl_text")

NAMES = LLAMA.but(
    {
        "latent_attention.gate": "self_attn.linear_gate",
        "latent_attention.sinks": "self_attn.learnable_sink_param!",
        "mlp.gate": "mlp.linear_gate",
        "moe.shared.gate": "mlp.shared_experts.linear_gate",
        "moe.expert.gate_up": "mlp.experts.gate_up_proj!",
        "moe.expert.down": "mlp.experts.down_proj!",
        **{f"attention.streams_{part}": f"hc_pre.hc_attn_layer.hc_{part}!" for part in ("fn", "base", "scale")},
        **{f"feed_forward.streams_{part}": f"hc_pre.hc_mlp_layer.hc_{part}!" for part in ("fn", "base", "scale")},
        **{f"streams_{part}": f"model.hc_pre.hc_head.hc_head_{part}!" for part in ("fn", "base", "scale")},
    },
    {
        "latent_attention.gate": "self_attn.gate_proj",
        "latent_attention.sinks": "self_attn.sinks!",
        "mlp.gate": "mlp.gate_proj",
        "moe.shared.gate": "mlp.shared_experts.gate_proj",
        **{f"attention.streams_{part}": f"attn_hc.{part}!" for part in ("fn", "base", "scale")},
        **{f"feed_forward.streams_{part}": f"ffn_hc.{part}!" for part in ("fn", "base", "scale")},
        **{f"streams_{part}": f"model.hc_head.hc_{part}!" for part in ("fn", "base", "scale")},
    },
)

BARE = NAMES.but({f"streams_{part}": f"model.hc_head.hc_pre.hc_head_{part}!" for part in ("fn", "base", "scale")})
"""Those of the bare model and of one inside a whole (`inside`), whose outer names transformers maps back in another way."""


def architecture(c: Settings) -> Architecture:
    """By class the first layer is dense; the first and every fourth layer from the second on have an indexer of their own."""
    hidden, layers, streams = c.int("hidden_size"), depth(c), c.int("hc_mult")
    own = listed(c, layers, "indexer_types", known=(FULL_INDEX, SHARED_INDEX)) or grouped(
        FULL_INDEX if i == 0 or (i - 1) % 4 == 0 else SHARED_INDEX for i in range(layers)
    )
    mixing = hyper_connection("streams", streams, hidden, 2 * streams, 2)
    blocks = [kind(c, index, feed, held, mixing) for (index, feed), held in crossed(own, feeds(c, layers, first=1)).items()]
    stack = Stack(
        hidden_size=hidden, blocks=blocks, final_norm=rms(c), projections=hyper_connection("streams", streams, hidden, streams, 1)
    )
    return causal_model(c, stack)


def kind(c: Settings, index: str, feed: str, held: LayerSet, mixing: list[Projection]) -> Block:
    """One kind of layer: the coefficients are computed from all streams before attention and before the feed-forward network."""
    norm = rms(c)
    attention = latent(
        c,
        ranked=True,
        interleaved=False,
        mask=indexed(c),
        indexer=indexer(c, shared=index == SHARED_INDEX, eps=norm.eps),
        gate="elementwise",
        sinks=True,
    )
    forward = gated(c) if feed == DENSE else deepseek_experts(c, storage="stacked")
    return block(
        f"{index}_{feed}",
        held,
        [
            Sublayer(name="attention", mixers=[attention], norm=norm, projections=mixing),
            Sublayer(name="feed_forward", mixers=[forward], norm=norm, projections=mixing),
        ],
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Hunyuan V4 checkpoint."""
    return model(a, BARE if a.head.kind == "none" or a.naming == "inside" else NAMES)
