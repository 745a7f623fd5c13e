"""StarCoder2 (arXiv 2402.19173): layer norms, an MLP without a gate, one switch for all biases, a tied table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.mlp import MLP
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, layer_norm, quotient
from ._read.dense import alike, window_mask
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("starcoder2",)

NAMES = LLAMA.but({"mlp.up": "mlp.c_fc", "mlp.down": "mlp.c_proj", "mlp.activation": "mlp.act"})


def architecture(c: Settings) -> Architecture:
    """`use_bias` covers attention and MLP; a window, where the file gives one, is every layer's; head_dim null or 0 is hidden / heads."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c, "norm_epsilon"), c.int("num_attention_heads")
    width, mask, bias = c.optional_int("head_dim") or quotient(c, hidden, heads), window_mask(c), c.flag("use_bias")
    position = rotary(c, width)
    forward = MLP(
        intermediate_size=c.int("intermediate_size"),
        activation=c.text("hidden_act") or "gelu_pytorch_tanh",
        gated=False,
        bias=bias,
        output_bias=bias,
    )

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = attention(c, hidden, mask=mask, position=position, biases=QKVO if bias else [], width=width, kept_tokens=kept)
        return prenorm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a StarCoder2 checkpoint."""
    return model(a, NAMES)
