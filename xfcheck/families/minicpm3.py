"""MiniCPM3: latent attention with a plain feed-forward network and scaled residuals; and Youtu-LLM, the same without the scales."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ._read.decoder import causal_model, gated, quotient, rms
from ._read.heads import heads_divide
from ._read.latent import DENSE, latent, plain_blocks
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("minicpm3", "youtu")


def architecture(c: Settings) -> Architecture:
    """Table and head are tied by class. MiniCPM3's value width is hidden / heads where the file gives none, its `mlp_bias` is read."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    scaled = c.table is not None and c.table.declares("scale_depth")
    if scaled:
        heads_divide(c)
    width = c.optional_int("v_head_dim", minimum=1)
    if scaled and width is None:
        width = quotient(c, hidden, c.int("num_attention_heads"))
    attention = latent(c, interleaved=None if not scaled else False, value_dim=width)
    depth_scale, base = c.number("scale_depth"), c.optional_int("dim_model_base")
    step = 1.0 if depth_scale is None else depth_scale / sqrt(layers)
    forward = Sublayer(name="feed_forward", mixers=[gated(c, bias=scaled and c.flag("mlp_bias"))], norm=norm, multiplier=step)
    blocks = plain_blocks(c, layers, {DENSE: LayerSet.first(layers)}, attention, lambda _: [forward], multiplier=step)
    scale = c.number("scale_emb")
    stack = Stack(hidden_size=hidden, blocks=blocks, final_norm=norm)
    return causal_model(c, stack, multiplier=1.0 if scale is None else float(scale), head_multiplier=base / hidden if base else 1.0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a MiniCPM3 or Youtu checkpoint."""
    return model(a, LLAMA)
