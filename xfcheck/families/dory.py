"""Dory: nGPT's normalised residual stream (arXiv 2410.01131), whose middle layers are applied several times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.norm import Norm
from ._read.blocks import sandwiched
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim
from ._read.dual_rotary import dual_rotary
from ._read.layers import depth
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("dory",)

_MODULE = {
    "embedding": "model.embed_tokens",
    "layer": "model.layers.{layer}.",
    "attention.gate": "self_attn.gate_proj",
}

NAMES = LLAMA.but(
    {
        "embedding": "backbone.embeddings",
        "layer": "backbone.layers.{layer}.",
        "attention.gate": "self_attn.g_proj",
        "attention.scale": "lambda_1!",
        "attention.query_scale": "self_attn.sqk!",
        "attention.gate_scale": "self_attn.s_gate!",
        "feed_forward.scale": "lambda_2!",
        "feed_forward.gate_scale": "mlp.suv_gate!",
        "feed_forward.up_scale": "mlp.suv_up!",
        "logit_scale": "lm_head.logit_scale!",
    },
    _MODULE,
    "backbone.",
)._replace(
    module_prefix="model.",
)

BARE = NAMES.but({"embedding": "backbone.embed_tokens"})._replace(module_prefix="model.")
"""The bare model is saved with the table's name in its class."""


def architecture(c: Settings) -> Architecture:
    """A saved file counts every layer twice, its attention and its `mlp`. No norm has weights; gates and scales are vectors."""
    hidden, wide = c.int("hidden_size"), c.int("intermediate_size")
    plan = _plan(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKVO if c.flag("attention_bias") else []
    norm, window, across = Norm(kind="l2", weight=False), c.optional_int("sliding_window"), c.int("num_attention_heads") * width
    forward = gated(c, bias=c.flag("mlp_bias")).model_copy(update={"inner_norm": norm})

    def layer(kind: str) -> list[Sublayer]:
        heads = attention(
            c,
            hidden,
            mask=mask_of(c, kind, window),
            position=dual_rotary(c, width, kind, keys={}),
            biases=biases,
            width=width,
            query_norm=norm,
            key_norm=norm,
        )
        mixer = heads.model_copy(update={"gate": "elementwise", "output_norm": norm})
        first, second = sandwiched(mixer, forward, norm)
        return [
            first.model_copy(
                update={
                    "layer_scale": True,
                    "projections": [_vector("query_scale", across, "attention"), _vector("gate_scale", across, "attention")],
                }
            ),
            second.model_copy(
                update={"layer_scale": True, "projections": [_vector("gate_scale", wide, "mlp"), _vector("up_scale", wide, "mlp")]}
            ),
        ]

    looped = c.text("recurrent_kv_cache_mode") != "last_loop"
    blocks = [
        Block(name=f"{kind}_{uses}", layers=held, sublayers=layer(kind), uses=uses, caches=None if looped or uses < 2 else 1)
        for (kind, uses), held in plan.items()
    ]
    whole = causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))
    scale = [Projection(name="logit_scale", shape=[whole.head.rows], multiplies=False, component="head")] if whole.head.rows else []
    return whole.model_copy(update={"projections": scale})


def _vector(name: str, size: int, component: str) -> Projection:
    return Projection(name=name, shape=[size], multiplies=False, component=component)


def _plan(c: Settings) -> dict[tuple[str, int], LayerSet]:
    """(kind, times applied) -> layers. Raises Refused XF118 where the three groups do not add up to the depth."""
    kinds = c.list("layer_types")
    half = 2 if kinds and "mlp" in kinds else 1
    layers, before, after = depth(c) // half, c.int("n_input_layers", minimum=0) // half, c.int("n_output_layers", minimum=0) // half
    middle = c.optional_int("n_recurrent_layers", minimum=-LIMIT)
    middle = layers - before - after if middle is None else middle // half
    if before + middle + after != layers:
        raise c.refuse(
            "n_recurrent_layers",
            f"{before} + {middle} + {after} layers are not {layers}",
            code="XF118",
            help="input, recurrent and output layers sum to the depth",
        )
    if kinds and len(kinds) // half < layers:
        raise c.refuse("layer_types", f"layer_types has {len(kinds)} entries for {layers * half} layers", code="XF114")
    named = (
        [kind for kind in kinds[::half] if isinstance(kind, str)]
        if kinds
        else [FULL if (i + 1) % 4 == 0 else SLIDING for i in range(layers)]
    )
    index = range(layers)
    passes = [index[:before], *[index[before : before + middle]] * c.int("n_recurrent_loops"), index[layers - after :]]
    held: dict[tuple[str, int], list[int]] = {}
    for i in index:
        held.setdefault((named[i], sum(i in part for part in passes)), []).append(i)
    return {key: LayerSet.of(of) for key, of in held.items()}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Dory checkpoint."""
    return model(a, BARE if a.head.kind == "none" else NAMES)
