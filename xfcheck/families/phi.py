"""Phi-1 to Phi-2: one layer norm, attention and MLP in parallel, biases everywhere, at the head too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ._read.decoder import QKVO, attention, causal_model, head_dim, layer_norm
from ._read.dense import alike, parallel
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("phi",)

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "attention.output": "self_attn.dense",
        "attention.query_norm": "self_attn.q_layernorm",
        "attention.key_norm": "self_attn.k_layernorm",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "mlp.activation": "mlp.activation_fn",
    }
)


def architecture(c: Settings) -> Architecture:
    """`qk_layernorm` normalises heads of hidden / heads, whatever head_dim says; half of each head is turned."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    width = head_dim(c, hidden, heads)
    head_norm = norm.model_copy(update={"size": hidden // heads}) if c.flag("qk_layernorm") else None
    position = rotary(c, width, partial=0.5)
    forward = MLP(
        intermediate_size=c.int("intermediate_size"),
        activation=c.text("hidden_act") or "gelu_new",
        gated=False,
        bias=True,
        output_bias=True,
    )

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = attention(
            c, hidden, mask=CAUSAL, position=position, biases=QKVO, width=width, query_norm=head_norm, key_norm=head_norm, kept_tokens=kept
        )
        return parallel(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm), head_bias=True)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Phi checkpoint."""
    return model(a, NAMES)
