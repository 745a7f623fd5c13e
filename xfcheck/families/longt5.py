"""LongT5 (Guo et al. 2021, arXiv 2112.07916): T5 whose encoder attends within blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import Mask
from ..architecture.mixers.blocked_attention import BlockedAttention
from ._read.decoder import rms
from ._read.t5_stacks import Style, t5_model
from ._rows.t5_names import T5, t5_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.positions.biases import RelativeBias
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("longt5",)

PLACES = {"local": "LocalSelfAttention", "transient-global": "TransientGlobalSelfAttention"}
"""`encoder_attention_type` -> the module that holds the encoder's attention."""


def architecture(c: Settings) -> Architecture:
    """Local or transient-global attention in the encoder; always tied (transformers 5)."""
    return t5_model(c, Style(mixing=mixing))


def mixing(c: Settings, bias: RelativeBias) -> BlockedAttention:
    """The encoder's attention: `local_radius` keys to either side, and one summary a `global_block_size` tokens where asked for."""
    kind = c.text("encoder_attention_type") or "local"
    if kind not in PLACES:
        raise c.refuse("encoder_attention_type", f"encoder_attention_type is {kind!r}", code="XF118", help=f"one of {', '.join(PLACES)}")
    heads, radius = c.int("num_attention_heads"), c.int("local_radius", minimum=0)
    summed = kind == "transient-global"
    return BlockedAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=c.int("d_kv"),
        input_size=c.int("hidden_size"),
        mask=Mask(kind="local", window=radius),
        position=bias,
        scale=1.0,
        block=radius + 1,
        summary_block=c.int("global_block_size") if summed else None,
        summary_norm=rms(c, "layer_norm_epsilon") if summed else None,
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a LongT5 checkpoint."""
    found = [mixer for block in a.stacks[0].blocks for mixer in block.sublayers[0].mixers]
    summed = any(getattr(mixer, "summary_block", None) for mixer in found)
    place = PLACES["transient-global" if summed else "local"]
    parts = {"query": "q", "key": "k", "value": "v", "output": "o", "relative_bias": "relative_attention_bias"}
    names = {f"blocked_attention.{part}": f"0.{place}.{name}" for part, name in parts.items()}
    sums = {"summary_norm": "global_input_layer_norm", "summary_bias": "global_relative_attention_bias"}
    return t5_rows(a, T5.but({**names, **{f"blocked_attention.{part}": f"0.{place}.{name}" for part, name in sums.items()}}))
