"""ERNIE 4.5: experts between a first and a last layer, a balancing bias that is a parameter, a dense draft layer in the checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ._read.blocks import DENSE, SPARSE, decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.draft import drafted
from ._read.heads import head_width
from ._read.layers import crossed, depth
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("ernie4_5_moe",)

NAMES = LLAMA.but(
    {
        "moe.correction": "mlp.moe_statics.e_score_correction_bias!",
        "draft:layer": "model.mtp_block.{layer}.",
        "draft_maps:layer": "model.mtp_",
        "draft.projection": "linear_proj.{layer}",
        "draft.embedding_norm": "emb_norm.{layer}",
        "draft.hidden_norm": "hidden_norm.{layer}",
    },
    {"moe.correction": "mlp.gate.moe_statics.e_score_correction_bias!"},
)


def architecture(c: Settings) -> Architecture:
    """`use_bias` is on every projection, dense and shared network and on the head, never on routed experts.

    The draft layer has no norm of its own after it.
    """
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    c.int("num_key_value_heads")  # null is no stand-in for the query heads in this class
    bias = c.flag("use_bias")
    position, biases = rotary(c, width, layout="interleaved"), QKVO if bias else []
    count = c.int("moe_num_shared_experts", minimum=0)

    def sublayers(kept: int | None, feed: str) -> list[Sublayer]:
        heads = attention(c, hidden, mask=CAUSAL, width=width, position=position, biases=biases, kept_tokens=kept)
        if feed == DENSE:
            return prenorm(heads, gated(c, bias=bias), norm)
        experts = routed(
            c, experts="moe_num_experts", width="moe_intermediate_size", per_token="moe_k",
            router=Router(scoring="softmax", normalise=True, correction="parameter", correction_rows=1),
            shared=shared_experts(c, c.int("moe_intermediate_size") * count, bias=bias) if count else None, shared_experts=count,
        )  # fmt: skip
        return prenorm(heads, experts, norm)

    parts = crossed(cached(c, layers), sparse(c, layers))
    whole = causal_model(c, decoder_stack(hidden, parts, sublayers, norm), head_bias=bias)
    return whole.model_copy(update={"draft": drafted(c, sublayers(None, DENSE), norm, bias=bias)})


def sparse(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers with experts: each `moe_layer_interval`-th, counted from 1, between `moe_layer_start_index` and `moe_layer_end_index`.

    Both ends are included; an end of -1 is the last layer.
    """
    step, start = c.int("moe_layer_interval"), c.int("moe_layer_start_index", minimum=-(10**9))
    end = c.int("moe_layer_end_index", minimum=-(10**9))
    stop = min(layers, layers if end == -1 else end + 1)
    first = max(start, 0) + (-(max(start, 0) + 1)) % step
    held = LayerSet((range(first, stop, step),))
    inside = range(first, held.ranges[0][-1] + 1) if len(held) else range(0)
    between = (
        [range(first + offset, inside.stop, step) for offset in range(1, step)] if step <= 4096 else [range(i + 1, i + step) for i in held]
    )
    rest = LayerSet((range(inside.start if len(inside) else layers), *between, range(inside.stop if len(inside) else layers, layers)))
    return {kind: of for kind, of in ((DENSE, rest), (SPARSE, held)) if len(of)}


def ledger(a: Architecture) -> list[Row]:
    """The rows of an ERNIE 4.5 checkpoint."""
    return model(a, NAMES)
