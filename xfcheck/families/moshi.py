"""Moshi's language model (Défossez et al. 2024, arXiv 2410.00037): a window on every layer, gate and up in one matrix of `ffn_dim` rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.mlp import MLP
from ._read.decoder import attention, causal_model, head_dim, rms
from ._read.dense import alike, window_mask
from ._read.plain import sequential
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("moshi",)

NAMES = LLAMA.but(
    {
        "attention.query": "self_attn.q_proj.linear",
        "attention.key": "self_attn.k_proj.linear",
        "attention.value": "self_attn.v_proj.linear",
        "attention.output": "self_attn.o_proj.linear",
        "mlp.gate_up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    }
)


def architecture(c: Settings) -> Architecture:
    """The table has a row more than the head. A class with the audio codec and the depth decoder is read as its language model alone."""
    hidden, norm = c.int("hidden_size"), rms(c)
    inner = c.int("ffn_dim")
    if inner % 2:
        raise c.refuse("ffn_dim", f"ffn_dim {inner} is odd, it holds gate and up", code="XF118", help=f"{inner - 1} or {inner + 1}")
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    forward = MLP(intermediate_size=inner // 2, activation=c.text("hidden_act") or "silu", packing="gate_up")

    def layer(kept: int | None) -> list[Sublayer]:
        return sequential(
            attention(c, hidden, mask=window_mask(c), position=rotary(c, width), width=width, kept_tokens=kept), forward, norm
        )

    made = causal_model(c, alike(c, hidden, layer, norm), tied=False)
    table = made.embedding and made.embedding.model_copy(update={"rows": made.embedding.rows + 1})
    if made.head.kind != "causal":
        c.assume("architectures", None, "the audio codec and the depth decoder are not counted: the language model alone", estimated=True)
    return made.model_copy(update={"embedding": table})


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model of a Moshi checkpoint."""
    return model(a, NAMES)
