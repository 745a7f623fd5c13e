"""gpt-oss (arXiv 2508.10925): attention sinks, biases everywhere, experts stored input first, sliding layers in turn with full ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.moe import Router
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, rms
from ._read.heads import head_width
from ._read.layers import depth, every, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gpt_oss",)

NAMES = LLAMA.but(
    {"moe.router": "mlp.router", "moe.expert.gate_up": "mlp.experts.gate_up_proj!", "moe.expert.down": "mlp.experts.down_proj!"},
)


def architecture(c: Settings) -> Architecture:
    """The first of every two layers slides; router and experts have biases whatever `attention_bias` says."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window, position = c.optional_int("sliding_window"), rotary(c, width)
    biases = QKVO if c.flag("attention_bias") else []
    router = Router(bias=True, normalise=True, order="topk_then_score")
    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=router, storage="transposed", bias=True)

    def sublayers(kind: str) -> list[Sublayer]:
        heads = attention(c, hidden, mask=mask_of(c, kind, window), width=width, position=position, biases=biases).model_copy(
            update={"sinks": True}
        )
        return prenorm(heads, experts, norm)

    kinds = listed(c, layers) or every(layers, 2, FULL, SLIDING)
    return causal_model(c, decoder_stack(hidden, {(kind,): held for kind, held in kinds.items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a gpt-oss checkpoint as transformers saves it: not packed in MXFP4."""
    return model(a, NAMES)
