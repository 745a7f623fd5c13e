"""NanoChat (karpathy/nanochat): norms without weights everywhere, on queries and keys too, and capped scores of the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, head_dim
from ._read.dense import alike
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("nanochat",)

NAMES = LLAMA.but({"mlp.up": "mlp.fc1", "mlp.down": "mlp.fc2", "mlp.activation": "mlp.activation_fn"})


def architecture(c: Settings) -> Architecture:
    """Squared ReLU without a gate; `attention_bias` covers all four projections."""
    hidden = c.int("hidden_size")
    norm = Norm(kind="rms", eps=c.number("rms_norm_eps"), weight=False)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position = rotary(c, width)
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "relu2", gated=False)

    def layer(kept: int | None) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, query_norm=norm, key_norm=norm, kept_tokens=kept
        )
        return prenorm(heads, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm), softcap=c.number("final_logit_softcapping"))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a NanoChat checkpoint."""
    return model(a, NAMES)
