"""MiniMax-M2: experts in every layer, sigmoid routing shifted by a bias, norms over all heads of query and key together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import attention, causal_model, kv_heads, rms
from ._read.heads import head_width
from ._read.layers import depth
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.routers import shifted_sigmoid
from ._read.undeclared import cached
from ._rows.model import model
from .mixtral import NAMES as MIXTRAL

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("minimax_m2",)

NAMES = MIXTRAL.but({"moe.correction": "block_sparse_moe.e_score_correction_bias!"}, {"moe.correction": "mlp.e_score_correction_bias!"})


def architecture(c: Settings) -> Architecture:
    """No biases; the part of a head that turns comes from `rotary_dim`."""
    hidden, norm, width = c.int("hidden_size"), rms(c), head_width(c)
    queries = c.int("num_attention_heads")
    turning = c.optional_int("rotary_dim")
    position = rotary(c, width, partial=None if turning is None else turning / width)
    query_norm, key_norm = Norm(eps=norm.eps, size=queries * width), Norm(eps=norm.eps, size=kv_heads(c, queries) * width)
    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=shifted_sigmoid(c))

    def sublayers(kept: int | None) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=CAUSAL, width=width, position=position, query_norm=query_norm, key_norm=key_norm, kept_tokens=kept
        )
        return prenorm(heads, experts, norm)

    return causal_model(c, decoder_stack(hidden, {(kept,): held for kept, held in cached(c, depth(c)).items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a MiniMax-M2 checkpoint: Mixtral's names."""
    return model(a, NAMES)
