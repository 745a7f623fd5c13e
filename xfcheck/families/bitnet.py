"""BitNet b1.58 (arXiv 2504.12285), as unpacked weights: norms before the output and down projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import alike
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("bitnet",)

NAMES = LLAMA.but({"attention.inner_norm": "self_attn.attn_sub_norm", "mlp.inner_norm": "mlp.ffn_sub_norm"})


def architecture(c: Settings) -> Architecture:
    """The inner norm of attention has the width of the residual stream."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position, inner = rotary(c, width), Norm(eps=norm.eps, size=hidden)
    forward = gated(c).model_copy(update={"inner_norm": Norm(eps=norm.eps)})

    def layer(kept: int | None) -> list[Sublayer]:
        heads = attention(c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, kept_tokens=kept)
        return prenorm(heads.model_copy(update={"output_norm": inner}), forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a BitNet checkpoint."""
    return model(a, NAMES)
