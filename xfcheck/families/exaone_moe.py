"""K-EXAONE: sliding layers with rotary positions, full ones without, grouped sigmoid routing, a dense draft layer in the checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, dense_first, feeds, prenorm
from ._read.decoder import attention, causal_model, gated, rms
from ._read.draft import drafted
from ._read.heads import head_width
from ._read.layers import crossed, depth, every, listed
from ._read.moe import routed, shared_experts
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

MODEL_TYPES = ("exaone_moe",)

NAMES = LLAMA.but(
    {
        "moe.correction": "mlp.e_score_correction_bias!",
        "draft:layer": "mtp.layers.{layer}.",
        "draft.projection": "mtp.fc",
        "draft.embedding_norm": "mtp.pre_fc_norm_embedding",
        "draft.hidden_norm": "mtp.pre_fc_norm_hidden",
        "draft.head_norm": "mtp.norm",
    },
    {"moe.correction": "mlp.gate.e_score_correction_bias!"},
)


def architecture(c: Settings) -> Architecture:
    """Every `sliding_window_pattern`-th layer is full; dense layers come first; no biases. The draft layer is full and dense."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window = c.optional_int("sliding_window")
    head_norm, position = Norm(eps=norm.eps, size=width), rotary(c, width)
    count = c.int("num_shared_experts", minimum=0)

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        turns = position if window is None or kind == SLIDING else None
        heads = attention(c, hidden, mask=mask_of(c, kind, window), width=width, position=turns, query_norm=head_norm, key_norm=head_norm)
        if feed == DENSE:
            return prenorm(heads, gated(c), norm)
        experts = routed(
            c, experts="num_experts", width="moe_intermediate_size", router=grouped_sigmoid(c),
            shared=shared_experts(c, c.int("moe_intermediate_size") * count), shared_experts=count,
        )  # fmt: skip
        return prenorm(heads, experts, norm)

    kinds = listed(c, layers) or every(layers, c.int("sliding_window_pattern"), FULL, SLIDING)
    sparse = feeds(c, layers, dense_first(c.int("first_k_dense_replace", minimum=0), layers))
    whole = causal_model(c, decoder_stack(hidden, crossed(kinds, sparse), sublayers, norm))
    return whole.model_copy(update={"draft": drafted(c, sublayers(FULL, DENSE), norm, head_norm=norm, per_layer=False)})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a K-EXAONE checkpoint: the balancing bias lies beside the router, not in it."""
    return model(a, NAMES)
