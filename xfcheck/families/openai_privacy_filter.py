"""Privacy filter (OpenAI 2026): gpt-oss's layers, each seeing a window to both sides, under a classifier of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import Mask
from ..architecture.mixers.moe import Router
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, rms
from ._read.dense import alike
from ._read.head import labels
from ._read.heads import head_width
from ._read.moe import routed
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("openai_privacy_filter",)
LABELS = 33
"""The class's own: four of each of eight kinds of entity, and one for none."""

NAMES = LLAMA.but(
    {
        "moe.router": "mlp.router",
        "moe.expert.gate_up": "mlp.experts.gate_up_proj!",
        "moe.expert.down": "mlp.experts.down_proj!",
        "token_classification:classifier": "score",
    },
    {},
)


def architecture(c: Settings) -> Architecture:
    """`sliding_window` keys to either side; router and experts have biases whatever `attention_bias` says."""
    hidden, norm, width = c.int("hidden_size"), rms(c), head_width(c)
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []
    router = Router(bias=True, normalise=True, order="topk_then_score")
    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=router, storage="transposed", bias=True)
    mask = Mask(kind="local", window=c.int("sliding_window", minimum=0))

    def layer(kept: int | None) -> list[Sublayer]:
        del kept
        heads = attention(c, hidden, mask=mask, width=width, position=position, biases=biases)
        return prenorm(heads.model_copy(update={"sinks": True}), experts, norm)

    made = causal_model(c, alike(c, hidden, layer, norm), tied=False, default="token_classification")
    if made.head.kind != "token_classification":
        return made
    return made.model_copy(update={"head": made.head.model_copy(update={"labels": labels(c, LABELS)})})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
