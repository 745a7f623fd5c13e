"""OLMoE (arXiv 2409.02060) and FlexOlmo (arXiv 2507.07024): experts in every layer, norms over all heads of query and key together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, kv_heads, rms
from ._read.heads import head_width
from ._read.layers import depth
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("olmoe", "flex_olmo")

NAMES = LLAMA.but({"attention.norm_after": "post_attention_layernorm", "feed_forward.norm_after": "post_feedforward_layernorm"})


def architecture(c: Settings) -> Architecture:
    """OLMoE normalises before a sublayer and sizes its norms by hidden_size whatever the heads.

    FlexOlmo normalises after it, by the heads.
    """
    hidden, norm, width = c.int("hidden_size"), rms(c), head_width(c)
    queries = c.int("num_attention_heads")
    keys = kv_heads(c, queries)
    post = c.table is not None and c.table.model_type == "flex_olmo"
    query_norm, key_norm = (
        Norm(eps=norm.eps, size=queries * width if post else hidden),
        Norm(eps=norm.eps, size=keys * (width if post else hidden // queries)),
    )
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []
    experts = routed(c, experts="num_experts", width="intermediate_size", router=Router(normalise=c.flag("norm_topk_prob")))

    def sublayers(kept: int | None) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=CAUSAL, width=width, position=position, biases=biases, query_norm=query_norm, key_norm=key_norm,
            kept_tokens=kept,
        )  # fmt: skip
        if not post:
            return prenorm(heads, experts, norm)
        return [Sublayer(name=s.name, mixers=s.mixers, norm_after=norm) for s in prenorm(heads, experts, norm)]

    return causal_model(c, decoder_stack(hidden, {(kept,): held for kept, held in cached(c, depth(c)).items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an OLMoE or FlexOlmo checkpoint."""
    return model(a, NAMES)
