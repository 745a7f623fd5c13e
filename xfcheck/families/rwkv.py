"""RWKV-4 (Peng et al. 2023, arXiv 2305.13048): a recurrence over time and one over channels, no attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.rwkv import ChannelMix, TimeMix
from ..architecture.norm import Norm
from ._read.decoder import causal_model, layer_norm
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("rwkv",)

NAMES = Names(
    {
        "embedding": "rwkv.embeddings",
        "embedding_norm": "rwkv.blocks.0.pre_ln",
        "layer": "rwkv.blocks.{layer}.",
        "final_norm": "rwkv.ln_out",
        "head": "head",
        "time_mix.norm": "ln1",
        "time_mix.decay": "attention.time_decay!",
        "time_mix.first": "attention.time_first!",
        "time_mix.mix_key": "attention.time_mix_key!",
        "time_mix.mix_value": "attention.time_mix_value!",
        "time_mix.mix_receptance": "attention.time_mix_receptance!",
        "time_mix.key": "attention.key",
        "time_mix.value": "attention.value",
        "time_mix.receptance": "attention.receptance",
        "time_mix.output": "attention.output",
        "channel_mix.norm": "ln2",
        "channel_mix.mix_key": "feed_forward.time_mix_key!",
        "channel_mix.mix_receptance": "feed_forward.time_mix_receptance!",
        "channel_mix.key": "feed_forward.key",
        "channel_mix.receptance": "feed_forward.receptance",
        "channel_mix.value": "feed_forward.value",
    },
    base_prefix="rwkv.",
)


def architecture(c: Settings) -> Architecture:
    """The norm after the embedding lies in the first layer; missing widths are the residual stream's, and four times it."""
    hidden, layers, norm = c.int("hidden_size"), depth(c), layer_norm(c, "layer_norm_epsilon")
    width, inner = c.optional_int("attention_hidden_size"), c.optional_int("intermediate_size")
    time = TimeMix(width=hidden if width is None else width)
    channel = ChannelMix(width=hidden, intermediate_size=4 * hidden if inner is None else inner)
    block = Block(
        name="rwkv",
        layers=LayerSet.first(layers),
        sublayers=[Sublayer(name="time_mix", mixers=[time], norm=norm), Sublayer(name="channel_mix", mixers=[channel], norm=norm)],
    )
    stack = Stack(
        hidden_size=hidden, blocks=[block], embedding_norm=norm if layers else None, final_norm=Norm(kind="layer", eps=1e-5, bias=True)
    )
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an RWKV-4 checkpoint."""
    return model(a, NAMES)
