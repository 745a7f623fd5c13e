"""GPT-J and CodeGen: attention and MLP read one norm, part of a head is turned, a bias on the head (EleutherAI 2021; arXiv 2203.13474)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ._read.decoder import causal_model, layer_norm, quotient
from ._read.dense import alike, parallel
from ._read.plain import multi_head, plain
from ._read.rotary import rotary
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gptj", "codegen")

NAMES = TRANSFORMER.but(
    {
        "attention.query": "attn.q_proj",
        "attention.key": "attn.k_proj",
        "attention.value": "attn.v_proj",
        "attention.qkv": "attn.qkv_proj",
        "attention.output": "attn.out_proj",
        "mlp.up": "mlp.fc_in",
        "mlp.down": "mlp.fc_out",
    }
)


def architecture(c: Settings) -> Architecture:
    """No biases in attention; CodeGen stores query, key and value as one matrix."""
    hidden, norm = c.int("hidden_size"), layer_norm(c, "layer_norm_epsilon")
    width = quotient(c, hidden, c.int("num_attention_heads"))
    turned = c.optional_int("rotary_dim")
    position = rotary(c, width if turned is None else turned, layout="interleaved")
    forward = plain(c.optional_int("n_inner", minimum=1) or 4 * hidden, c.text("activation_function") or "gelu_new")
    packed = c.table is not None and c.table.model_type == "codegen"

    def layer(kept: int | None) -> list[Sublayer]:
        return parallel(multi_head(c, hidden, mask=CAUSAL, position=position, packed=packed, kept_tokens=kept), forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm), head_bias=True)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GPT-J or CodeGen checkpoint."""
    return model(a, NAMES)
