"""MiMo-V2-Flash (arXiv 2601.02780): sliding layers with twice the KV heads and sinks, values narrower than keys, dense draft layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ._read.blocks import DENSE, decoder_stack, dense_first, feeds, prenorm
from ._read.decoder import QKV, attention, causal_model, gated, kv_heads, rms
from ._read.draft import drafted
from ._read.heads import head_width
from ._read.layers import crossed, depth, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.routers import grouped_sigmoid
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mimo_v2_flash",)

NAMES = LLAMA.but(
    {
        "attention.sinks": "self_attn.attention_sink_bias!",
        "draft:layer": "model.mtp.layers.{layer}.",
        "draft_maps:layer": "model.mtp.layers.{layer}.",
        "draft:feed_forward.norm": "pre_mlp_layernorm",
        "draft.head_norm": "final_layernorm",
    },
    {"attention.sinks": "self_attn.sinks!"},
)


def architecture(c: Settings) -> Architecture:
    """Full are the first layer and every sixth; `attention_bias` is on query, key and value.

    `sliding_window_size` is a window without the query.
    """
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    older = c.optional_int("sliding_window_size")
    window = c.optional_int("sliding_window") if older is None else older + 1
    queries, values = c.int("num_attention_heads"), c.int("v_head_dim")
    keys = kv_heads(c, queries)
    biases = QKV if c.flag("attention_bias") else []

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        heads = attention(c, hidden, mask=mask_of(c, kind, window), width=width, position=rotary(c, width, layer_type=kind), biases=biases)
        own = heads.model_copy(update={"kv_heads": keys * 2 if kind == SLIDING else keys, "value_dim": values, "sinks": kind == SLIDING})
        experts = routed(c, experts="n_routed_experts", width="moe_intermediate_size", router=grouped_sigmoid(c))
        return prenorm(own, gated(c) if feed == DENSE else experts, norm)

    kinds = listed(c, layers) or alternating(layers)
    whole = causal_model(c, decoder_stack(hidden, crossed(kinds, feeds(c, layers, dense_first(1, layers))), sublayers, norm))
    return whole.model_copy(update={"draft": drafted(c, sublayers(SLIDING if window is not None else FULL, DENSE), norm, head_norm=norm)})


def alternating(layers: int) -> dict[str, LayerSet]:
    """Layer 0 and the last of every six full, the rest sliding."""
    full = LayerSet((range(min(1, layers)), range(5, layers, 6)))
    rest = [range(start, layers, 6) for start in range(1, 5)] + [range(6, layers, 6)]
    held = {FULL: full, SLIDING: LayerSet(rest)}
    return {kind: of for kind, of in held.items() if len(of)}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a MiMo-V2-Flash checkpoint."""
    return model(a, NAMES)
