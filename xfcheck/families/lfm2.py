"""LFM2, dense and with experts: gated short convolutions, attention in some layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ._read.blocks import DENSE, SPARSE, dense_first
from ._read.decoder import causal_model, rms
from ._read.hybrid import CONV, FULL, marked, two_step
from ._read.layers import depth, listed
from ._read.moe import routed
from ._read.short_convolution import normed_attention, short_convolution, tied
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.short_convolution_names import LFM2, LFM2_MODULES

if TYPE_CHECKING:
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("lfm2", "lfm2_moe")

NAMES = LLAMA.but(LFM2, LFM2_MODULES)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types`, else (dense models) attention in `full_attn_idxs`, in every layer without it."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, "norm_eps"), depth(c)
    sparse = c.table is not None and c.table.declares("num_experts")

    def mixing(kind: str) -> Sublayer:
        if kind == CONV:
            return Sublayer(name="short_convolution", mixers=[short_convolution(c, hidden)], norm=norm)
        return Sublayer(name="attention", mixers=[normed_attention(c, hidden, CAUSAL)], norm=norm)

    def feeding(kind: str) -> Sublayer:
        forward = experts(c) if kind == SPARSE else MLP(intermediate_size=c.int("intermediate_size") if sparse else width(c))
        return Sublayer(name="feed_forward", mixers=[forward], norm=norm)

    feeds = dense_first(c.int("num_dense_layers", minimum=0), layers) if sparse else {DENSE: LayerSet.first(layers)}
    blocks = two_step(kinds(c, layers, sparse=sparse), mixing, feeds, feeding)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm), tied=tied(c))


def kinds(c: Settings, layers: int, *, sparse: bool) -> dict[str, LayerSet]:
    """Which layers convolve. Raises Refused XF101 where a model with experts names none."""
    named = listed(c, layers, known=(CONV, FULL))
    if named is not None:
        return named
    if sparse:
        raise c.refuse("layer_types", "needs the key 'layer_types': the class gives no value", code="XF101", help='write "layer_types"')
    indices = c.list("full_attn_idxs")
    return {FULL: LayerSet.first(layers)} if indices is None else marked(layers, indices, FULL, CONV)


def width(c: Settings) -> int:
    """The width of the feed-forward network.

    With `block_auto_adjust_ff_dim`: two thirds of what the file says, times a factor, rounded up to a multiple. `block_ff_dim` beats
    `intermediate_size`. Fractions are cut off as in modeling_lfm2.py of transformers 5.24.
    """
    given = c.int("block_ff_dim" if c.has("block_ff_dim") else "intermediate_size")
    if not c.flag("block_auto_adjust_ff_dim", True):
        return given
    adjusted = int(2 * given / 3)
    factor = c.number("block_ffn_dim_multiplier", noted=True)
    if factor is None:
        return adjusted
    multiple = c.int("block_multiple_of")
    return multiple * -(-int(factor * adjusted) // multiple)


def experts(c: Settings) -> MoE:
    """Experts of a sigmoid router, the choice balanced by a bias that is a buffer where `use_expert_bias`."""
    router = Router(
        scoring="sigmoid", normalise=c.flag("norm_topk_prob"), scale=c.number("routed_scaling_factor") or 1.0,
        correction="buffer" if c.flag("use_expert_bias") else "none",
    )  # fmt: skip
    return routed(c, experts="num_experts", width="moe_intermediate_size", router=router)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an LFM2 checkpoint."""
    return model(a, NAMES)
