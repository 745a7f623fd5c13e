"""Llama 4: chunked layers with rotary positions, full ones without, experts in every n-th layer beside a shared one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._classes import class_table
from ._read.blocks import DENSE, SPARSE, decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.head import architecture_name, named_kind
from ._read.heads import head_width
from ._read.layers import crossed, depth, every, grouped, listed
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.towers import BESIDE, language, maps, tower, whole
from ._read.windows import CHUNKED, FULL, mask_of
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("llama4", "llama4_text")

EXPERTS = {"moe.expert.gate_up": "feed_forward.experts.gate_up_proj!", "moe.expert.down": "feed_forward.experts.down_proj!"}

NAMES = LLAMA.but(
    {
        "mlp.gate": "feed_forward.gate_proj",
        "mlp.up": "feed_forward.up_proj",
        "mlp.down": "feed_forward.down_proj",
        "moe.router": "feed_forward.router",
        "moe.shared.gate": "feed_forward.shared_expert.gate_proj",
        "moe.shared.up": "feed_forward.shared_expert.up_proj",
        "moe.shared.down": "feed_forward.shared_expert.down_proj",
        **EXPERTS,
    },
    EXPERTS,
)


def architecture(c: Settings) -> Architecture:
    """`llama4` as a language model is its `text_config`; the class that makes texts of images holds a tower and a map too."""
    if c.table is None or c.table.model_type != "llama4":
        return text(c)
    named = architecture_name(c)
    kind = named_kind(c)
    if kind == "conditional_generation":
        seen, spoken = tower(c), language(c)
        projector = maps([("linear_1", spoken.width, seen.settings.int("vision_output_dim"))], bias=False)
        return whole(c, BESIDE, spoken, {"vision_model": seen}, projector)
    if named is not None and kind != "causal":
        c.assume("architectures", named, f"{named} holds more than the language model, which alone is counted", estimated=True)
    return text(c.nested("text_config", class_table("llama4_text")))


def text(c: Settings) -> Architecture:
    """The reference passes every token through every expert and adds nothing for those not chosen: `multiplied` all."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    chunk, position = c.optional_int("attention_chunk_size"), rotary(c, width, layout="interleaved")
    biases = QKVO if c.flag("attention_bias") else []
    head_norm = Norm(kind="l2", eps=norm.eps, size=width, weight=False) if c.flag("use_qk_norm") else None
    experts = routed(
        c, experts="num_local_experts", width="intermediate_size", router=Router(scoring="sigmoid", order="topk_then_score"),
        storage="transposed",
        shared=shared_experts(c, c.int("intermediate_size")), shared_experts=1,
    ).model_copy(update={"multiplied": "all"})  # fmt: skip

    def sublayers(kind: str, turns: str, feed: str) -> list[Sublayer]:
        rope = turns == "rope"
        heads = attention(
            c, hidden, mask=mask_of(c, kind, chunk), width=width, position=position if rope else None, biases=biases,
            query_norm=head_norm if rope else None,
            key_norm=head_norm if rope else None,
        )  # fmt: skip
        return prenorm(heads, gated(c, "intermediate_size_mlp") if feed == DENSE else experts, norm)

    turning = rotating(c, layers)
    kinds = listed(c, layers) or {(CHUNKED if kind == "rope" and chunk is not None else FULL): held for kind, held in turning.items()}
    if chunk is None and c.list("layer_types") is None:
        kinds = {FULL: LayerSet.first(layers)}
    placed = crossed(crossed(kinds, turning), with_experts(c, layers))
    return causal_model(c, decoder_stack(hidden, {(*both, feed): held for (both, feed), held in placed.items()}, sublayers, norm))


def rotating(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers with rotary positions (a 1 in `no_rope_layers`) and without; with no list each `no_rope_layer_interval`-th is without."""
    marks = c.list("no_rope_layers")
    if not marks:
        return every(layers, c.int("no_rope_layer_interval"), "none", "rope")
    if len(marks) < layers:
        raise c.refuse(
            "no_rope_layers",
            f"no_rope_layers has {len(marks)} entries for {layers} layers",
            code="XF114",
            help=f"one entry a layer: {layers}",
        )
    return grouped("rope" if mark else "none" for mark in marks[:layers])


def with_experts(c: Settings, layers: int) -> dict[str, LayerSet]:
    """The layers of `moe_layers` (those beyond the depth count for nothing), else every `interleave_moe_layer_step`-th."""
    given = c.list("moe_layers")
    if given is None:
        return every(layers, c.int("interleave_moe_layer_step"), SPARSE, DENSE)
    held = {i for i in given if isinstance(i, int) and not isinstance(i, bool)}
    return grouped(SPARSE if i in held else DENSE for i in range(layers))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model, and of the tower where there is one."""
    return tower_rows(a, {"linear_1": "multi_modal_projector.linear_1"}, inside="") if a.members else model(a, NAMES)
