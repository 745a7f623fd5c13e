"""Mellum 2: experts under sliding and full attention with bases of their own, one draft layer in the checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import DENSE, SPARSE, decoder_stack, feeds, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.draft import drafted
from ._read.heads import head_width
from ._read.layers import crossed, depth, listed
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

MODEL_TYPES = ("mellum",)

NAMES = LLAMA.but(
    {
        "draft:layer": "mtp.layers.{layer}.",
        "draft.projection": "mtp.fc",
        "draft.embedding_norm": "mtp.pre_fc_norm_embedding",
        "draft.hidden_norm": "mtp.pre_fc_norm_hidden",
        "draft.head_norm": "mtp.norm",
    }
)


def architecture(c: Settings) -> Architecture:
    """All layers full and sparse unless the lists say otherwise.

    The draft layer slides and has experts unless its own lists say otherwise.
    """
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window = c.optional_int("sliding_window")
    head_norm = Norm(eps=norm.eps, size=width)
    biases = QKVO if c.flag("attention_bias") else []

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=mask_of(c, kind, window), width=width, position=rotary(c, width, layer_type=kind), biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
        )  # fmt: skip
        experts = routed(c, experts="num_experts", width="moe_intermediate_size", router=Router(normalise=c.flag("norm_topk_prob")))
        return prenorm(heads, gated(c) if feed == DENSE else experts, norm)

    kinds = listed(c, layers) or {FULL: LayerSet.first(layers)}
    whole = causal_model(c, decoder_stack(hidden, crossed(kinds, feeds(c, layers, {SPARSE: LayerSet.first(layers)})), sublayers, norm))
    kind, feed = (c.list("mtp_layer_types") or [SLIDING])[0], (c.list("mtp_mlp_layer_types") or [SPARSE])[0]
    kind = FULL if kind != SLIDING or window is None else SLIDING
    return whole.model_copy(
        update={"draft": drafted(c, sublayers(kind, DENSE if feed == DENSE else SPARSE), norm, head_norm=norm, per_layer=False)}
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mellum checkpoint."""
    return model(a, NAMES)
