"""Pixtral's image tower (Agrawal et al. 2024, arXiv 2410.07073): gated layers with RMS norms and rotary positions of two axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from ...architecture.mixers.mlp import MLP
from ...architecture.norm import Norm
from .._rows.names import Names
from ._layers import alone, column, heads, patches, rows

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "patch_conv",
        "embedding_norm": "ln_pre",
        "layer": "transformer.layers.{layer}.",
        "attention.norm": "attention_norm",
        "attention.query": "attention.q_proj",
        "attention.key": "attention.k_proj",
        "attention.value": "attention.v_proj",
        "attention.output": "attention.o_proj",
        "feed_forward.norm": "ffn_norm",
        "mlp.gate": "feed_forward.gate_proj",
        "mlp.up": "feed_forward.up_proj",
        "mlp.down": "feed_forward.down_proj",
    },
    base_prefix="",
)

MISTRAL = NAMES.but(
    {
        **{f"attention.{part}": f"attention.w{part[0]}" for part in ("query", "key", "value", "output")},
        **{f"mlp.{part}": f"feed_forward.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
    },
    {key: name for key, name in NAMES.checkpoint.items() if key.partition(".")[2] not in ("", "norm")},
)
"""As Mistral's own checkpoints name it (`mistral`)."""


def architecture(c: Settings) -> Architecture:
    """Heads are hidden / heads wide whatever `head_dim` says; no bias, no norm after the layers."""
    hidden, norm = c.int("hidden_size"), Norm(eps=1e-5)
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "gelu")
    return alone(
        Stack(
            stream="image",
            hidden_size=hidden,
            blocks=column(c, heads(c, hidden), forward, norm),
            embedding_norm=norm,
            component="vision",
            projections=[patches(c, hidden, bias=False)],
        )
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, MISTRAL if a.naming == "mistral" else NAMES)
