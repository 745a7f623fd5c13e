"""ZAYA1 (arXiv 2511.17127): compressed convolutional attention, one expert a token chosen by a small network, scaled residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.convolved_attention import ConvolvedAttention
from ..architecture.mixers.moe import Router
from ._read.decoder import QKVO, causal_model, head_dim, kv_heads, rms
from ._read.hybrid import marked, two_step
from ._read.layers import depth, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("zaya",)

HYBRID, SLIDING = "hybrid", "hybrid_sliding"
FIRST, LATER = "first", "later"

CCA, GATE = "self_attn.qkv_proj", "mlp.gate"
SCALES = ("hidden_states_scale", "hidden_states_bias", "residual_scale", "residual_bias")

NAMES = LLAMA.but(
    {
        "input_scale": "model.input_hidden_states_scale!",
        "input_bias": "model.input_hidden_states_bias!",
        "convolved_attention.query": f"{CCA}.q_proj",
        "convolved_attention.key": f"{CCA}.k_proj",
        "convolved_attention.value": f"{CCA}.v_proj_current",
        "convolved_attention.late_value": f"{CCA}.v_proj_delayed",
        "convolved_attention.conv": f"{CCA}.conv_qk_depthwise",
        "convolved_attention.grouped_conv": f"{CCA}.conv_qk_grouped",
        "convolved_attention.key_scale": "self_attn.qk_norm.temp!",
        "convolved_attention.output": "self_attn.o_proj",
        "moe.router": f"{GATE}.router_mlp.out_proj",
        "moe.correction": f"{GATE}.balancing_biases!",
        "moe.expert.gate_up": "mlp.experts.gate_up_proj!",
        "moe.expert.down": "mlp.experts.down_proj!",
        "feed_forward.router_in": f"{GATE}.down_proj",
        "feed_forward.router_norm": f"{GATE}.router_mlp.norm",
        "feed_forward.router_first": f"{GATE}.router_mlp.fc1",
        "feed_forward.router_second": f"{GATE}.router_mlp.fc2",
        "feed_forward.router_states": f"{GATE}.router_states_scale!",
        **{f"attention.{part}": f"post_attention_residual_scale.{part}!" for part in SCALES},
        **{f"feed_forward.{part}": f"post_mlp_residual_scale.{part}!" for part in SCALES},
    },
    {"moe.expert.down": "mlp.experts.down_proj!"},
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types`, all full without it; the router of every layer but the first adds that of the layer before."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    scales = [Projection(name=part, shape=[hidden], multiplies=False) for part in SCALES]

    def mixing(kind: str) -> Sublayer:
        return Sublayer(name="attention", mixers=[heads(c, hidden, kind)], norm=norm, projections=scales)

    def feeding(kind: str) -> Sublayer:
        experts = routed(
            c, experts="num_experts", width="moe_intermediate_size", storage="stacked",
            router=Router(correction="buffer", input_size=c.int("router_hidden_size"), extra_scores=1),
        )  # fmt: skip
        return Sublayer(name="feed_forward", mixers=[experts], norm=norm, projections=[*network(c, hidden, first=kind == FIRST), *scales])

    kinds = listed(c, layers, known=(HYBRID, SLIDING)) or {HYBRID: LayerSet.first(layers)}
    blocks = two_step(kinds, mixing, marked(layers, [0], FIRST, LATER), feeding)
    around = [Projection(name=part, shape=[hidden], multiplies=False) for part in ("input_scale", "input_bias")]
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm, projections=around), head_bias=c.flag("lm_head_bias"))


def heads(c: Settings, hidden: int, kind: str) -> ConvolvedAttention:
    """Attention of a layer of that kind. Raises Refused XF321 for a sliding one without a window."""
    window, count = c.optional_int("sliding_window"), c.int("num_attention_heads")
    if kind == SLIDING and window is None:
        raise c.refuse(
            "layer_types", "layer_types has hybrid_sliding layers and the window is null", code="XF321", help="give sliding_window"
        )
    width = head_dim(c, hidden, count)
    return ConvolvedAttention(
        query_heads=count, kv_heads=kv_heads(c, count), head_dim=width, biases=QKVO if c.flag("attention_bias") else [],
        mask=CAUSAL if kind == HYBRID else Mask(kind="sliding", window=window), position=rotary(c, width, layer_type=kind, partial=0.5),
        depthwise_kernel=c.int("cca_time0"), grouped_kernel=c.int("cca_time1"), dropout=c.number("attention_dropout") or 0.0,
    )  # fmt: skip


def network(c: Settings, hidden: int, *, first: bool) -> list[Projection]:
    """What comes before the router's scores: a narrow matrix, what the layer before adds, a norm and two square matrices."""
    width = c.int("router_hidden_size")
    parts = [
        Projection(name="router_in", shape=[width, hidden], bias=True, component="router"),
        Projection(name="router_norm", shape=[width], multiplies=False, component="norm"),
        Projection(name="router_first", shape=[width, width], bias=True, component="router"),
        Projection(name="router_second", shape=[width, width], bias=True, component="router"),
    ]
    return parts if first else [*parts, Projection(name="router_states", shape=[width], multiplies=False, component="router")]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a ZAYA1 checkpoint."""
    return model(a, NAMES)
