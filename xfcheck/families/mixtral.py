"""Mixtral of experts (Jiang et al. 2024, arXiv 2401.04088)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.moe import Router
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import attention, causal_model, rms
from ._read.heads import head_width
from ._read.layers import depth
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mixtral",)

NAMES = LLAMA.but(
    {
        "moe.router": "block_sparse_moe.gate",
        "moe.expert.gate": "block_sparse_moe.experts.{expert}.w1",
        "moe.expert.up": "block_sparse_moe.experts.{expert}.w3",
        "moe.expert.down": "block_sparse_moe.experts.{expert}.w2",
    },
    {"moe.router": "mlp.gate"},
)


def architecture(c: Settings) -> Architecture:
    """Experts in every layer, the chosen weights renormalised; one mask for all layers, whatever an undeclared `layer_types` says."""
    hidden, norm, width = c.int("hidden_size"), rms(c), head_width(c, null=True)
    window, position = c.optional_int("sliding_window"), rotary(c, width)
    mask = CAUSAL if window is None else Mask(kind="sliding", window=window)
    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=Router(normalise=True))

    def sublayers(kept: int | None) -> list[Sublayer]:
        return prenorm(attention(c, hidden, mask=mask, width=width, position=position, kept_tokens=kept), experts, norm)

    return causal_model(c, decoder_stack(hidden, {(kept,): held for kept, held in cached(c, depth(c)).items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mixtral checkpoint: one matrix an expert, named w1, w3, w2."""
    return model(a, NAMES)
