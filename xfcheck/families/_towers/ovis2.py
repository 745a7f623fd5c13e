"""The tower of Ovis 2 (arXiv 2405.20797; AIMv2, arXiv 2411.14402): gated layers, and a head that scores a vocabulary of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from ...architecture.mixers.mlp import MLP
from ...architecture.norm import Norm
from .._read.decoder import QKVO
from .._rows.names import Names
from ._layers import alone, column, heads, linear, normed, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "transformer.embeddings.patch_embedding",
        "positions": "transformer.embeddings.position_embedding",
        "embedding_norm": "transformer.embeddings.rms_norm",
        "layer": "transformer.encoder.layers.{layer}.",
        "attention.norm": "rms_norm1",
        "attention.query": "attention.q_proj",
        "attention.key": "attention.k_proj",
        "attention.value": "attention.v_proj",
        "attention.output": "attention.out_proj",
        "feed_forward.norm": "rms_norm2",
        "mlp.gate": "ffn.gate_proj",
        "mlp.up": "ffn.up_proj",
        "mlp.down": "ffn.down_proj",
        "final_norm": "transformer.rms_norm",
        "scores": "head_linear",
        "scores_norm": "head_norm",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """`hidden_stride`: the side of the square of patches that is scored at once; some of the `vocab_size` are marks, and not scored."""
    wide, norm = c.int("hidden_size"), Norm(eps=c.number("rms_norm_eps"))
    bias = c.flag("mlp_bias")
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "silu", bias=bias, output_bias=bias)
    scored = c.int("vocab_size") - c.int("num_visual_indicator_tokens", minimum=0)
    beside = [
        patches(c, wide, bias=True),
        vector("positions", (c.int("image_size") // c.int("patch_size")) ** 2, wide),
        linear("scores", scored, wide * c.int("hidden_stride") ** 2, bias=False),
        normed("scores_norm", scored),
    ]
    own = heads(c, wide, QKVO if c.flag("qkv_bias") else ())
    return alone(
        Stack(
            stream="image",
            hidden_size=wide,
            blocks=column(c, own, forward, norm),
            embedding_norm=norm,
            final_norm=norm,
            component="vision",
            projections=beside,
        )
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
