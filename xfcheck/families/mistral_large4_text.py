"""Mistral Large 4's language model (Mistral AI): sparse latent attention, in every fourth layer without positions, trained frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Stack
from ._read.decoder import causal_model, gated, rms
from ._read.latent import DENSE, SHARED_INDEX, block, deepseek_experts, feeds, indexed, indexer, indexing, latent, pair
from ._read.layers import crossed, depth, grouped
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Block
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mistral_large4_text",)

TURNED, PLAIN = "turned", "plain"

MODULES = {
    "layer": "model.layers.{layer}.",
    "frequencies": "model.rotary_emb.alpha!",
    "attention.norm": "input_layernorm",
    "feed_forward.norm": "post_attention_layernorm",
    **{
        f"latent_attention.{part}": f"self_attn.{name}"
        for part, name in (
            ("query", "q_proj"), ("kv_a", "kv_a_proj_with_mqa"), ("kv_norm", "kv_a_layernorm"), ("kv_b", "kv_b_proj"), ("output", "o_proj"),
            ("indexer_query", "indexer.wq_b"), ("indexer_key", "indexer.wk"), ("indexer_norm", "indexer.k_norm"),
            ("indexer_weights", "indexer.weights_proj"),
        )
    },
    "attention.scale": "self_attn.softmax_scaling.scale!",
    "attention.shift": "self_attn.softmax_scaling.bias!",
    "attention.indexer_scale": "self_attn.indexer.softmax_scaling.scale!",
    "attention.indexer_shift": "self_attn.indexer.softmax_scaling.bias!",
    "attention.indexer_input_norm": "self_attn.indexer.q_input_norm",
    "mlp.gate": "mlp.gate_proj",
    "mlp.up": "mlp.up_proj",
    "mlp.down": "mlp.down_proj",
    "moe.router": "mlp.gate",
    "moe.expert.gate": "mlp.experts.gate_up_proj!",
    "moe.expert.up": "mlp.experts.gate_up_proj!",
    "moe.expert.down": "mlp.experts.down_proj!",
    **{f"moe.shared.{part}": f"mlp.shared_experts.{part}_proj" for part in ("gate", "up", "down")},
}  # fmt: skip

ALONE = LLAMA.but(
    {
        "frequencies": "model.rotary_emb.alpha!",
        "attention.norm": "attention_norm",
        "feed_forward.norm": "ffn_norm",
        **{
            f"latent_attention.{part}": f"attention.{name}"
            for part, name in (
                ("query", "wq"), ("kv_a", "wkv_a_with_mqa"), ("kv_norm", "kv_a_norm"), ("kv_b", "wkv_b"), ("output", "o_proj"),
                ("indexer_query", "indexer.wq_b"), ("indexer_key", "indexer.wk"), ("indexer_norm", "indexer.k_norm"),
                ("indexer_weights", "indexer.weights_proj"),
            )
        },
        "attention.scale": "attention.ssmax_scaling.s!",
        "attention.shift": "attention.ssmax_scaling.b!",
        "attention.indexer_scale": "attention.indexer.ssmax_scaling.s!",
        "attention.indexer_shift": "attention.indexer.ssmax_scaling.b!",
        "attention.indexer_input_norm": "attention.indexer.q_input_norm",
        **{f"mlp.{part}": f"feed_forward.{part}_proj" for part in ("gate", "up", "down")},
        "moe.router": "gate",
        **{f"moe.expert.{part}": f"experts.{{expert}}.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
        **{f"moe.shared.{part}": f"shared_experts.{part}_proj" for part in ("gate", "up", "down")},
    },
    MODULES,
)  # fmt: skip

INSIDE = ALONE.but(
    {
        "latent_attention.output": "attention.wo",
        **{f"mlp.{part}": f"feed_forward.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
        **{f"moe.shared.{part}": f"shared_experts.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
    }
)
"""Names inside the whole, in Mistral's own words throughout (`inside`)."""


def architecture(c: Settings) -> Architecture:
    """A layer without positions gives their share of a head to the rest of it. Frequencies are trained. `kv_source_layers`: as if own."""
    norm, layers, rope = rms(c), depth(c), c.int("qk_rope_head_dim")
    sources = c.list("kv_source_layers")
    if sources is not None and sources[:layers] != list(range(layers)):
        c.assume("kv_source_layers", None, "layers that reuse another's keys and values are counted with their own", estimated=True)
    kinds = crossed(turning(c, layers), crossed(indexing(c, layers), feeds(c, layers, first=c.int("first_k_dense_replace", minimum=0))))
    frequencies = Projection(name="frequencies", shape=[rope // 2], multiplies=False, component="position_embedding")
    stack = Stack(
        hidden_size=c.int("hidden_size"),
        blocks=[layer(c, kind, index, feed, held) for (kind, (index, feed)), held in kinds.items()],
        final_norm=norm,
        projections=[frequencies],
    )
    return causal_model(c, stack, softcap=c.number("final_logit_softcapping"))


def layer(c: Settings, kind: str, index: str, feed: str, held: LayerSet) -> Block:
    """Layers of one kind."""
    rope, hidden, shared = c.int("qk_rope_head_dim"), c.int("hidden_size"), index == SHARED_INDEX
    own = latent(c, interleaved=True, norm_eps=c.number("rms_norm_eps") or 0.0, mask=indexed(c), indexer=indexer(c, shared=shared))
    biases = [part for part in own.biases if part != "query_a"]
    own = own.model_copy(update={"query_rank": None, "biases": biases})
    if kind == PLAIN:
        own = own.model_copy(update={"nope_dim": own.nope_dim + rope, "rope_dim": 0, "position": None})
    forward = gated(c) if feed == DENSE else deepseek_experts(c, scoring="softmax")
    steps = pair(own, forward, rms(c))
    around = scaling("", own.query_heads)
    if not shared:
        norm = Projection(name="indexer_input_norm", shape=[hidden], multiplies=False, bias=True, component="norm")
        around += [*scaling("indexer_", c.int("index_n_heads")), norm]
    steps[0] = steps[0].model_copy(update={"projections": around})
    return block(f"{kind}_{index}_{feed}", held, steps)


def scaling(front: str, heads: int) -> list[Projection]:
    """Queries are multiplied by a trained line over the logarithm of their place, a head each."""
    return [Projection(name=f"{front}{name}", shape=[heads], multiplies=False, component="attention") for name in ("scale", "shift")]


def turning(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers with rotary positions: not zero in `no_rope_layers`, else all but every fourth."""
    given = c.list("no_rope_layers")
    if given is None:
        step = c.int("no_rope_layer_interval") if c.has("no_rope_layer_interval") else 4
        return grouped(TURNED if (i + 1) % step else PLAIN for i in range(layers))
    if len(given) < layers:
        raise c.refuse("no_rope_layers", f"no_rope_layers has {len(given)} entries for {layers} layers", code="XF114")
    return grouped(TURNED if turns else PLAIN for turns in given[:layers])


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model."""
    return model(a, INSIDE if a.naming == "inside" else ALONE)
