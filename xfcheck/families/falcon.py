"""Falcon (arXiv 2311.16867): one key-value head and one norm (7B), grouped heads and two norms (40B, 180B), ALiBi in turn (RW)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.positions.biases import Alibi
from ._read.decoder import QKVO, causal_model, layer_norm, quotient
from ._read.dense import alike, parallel
from ._read.plain import parallel_normed, plain, sequential
from ._read.rotary import rotary
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("falcon",)

NAMES = TRANSFORMER.but(
    {
        "embedding": "transformer.word_embeddings",
        "attention.norm": "input_layernorm",
        "attention.qkv": "self_attention.query_key_value",
        "attention.output": "self_attention.dense",
        "feed_forward.norm": "post_attention_layernorm",
        "mlp.up": "mlp.dense_h_to_4h",
        "mlp.down": "mlp.dense_4h_to_h",
    }
)
NORMED = NAMES.but({"attention.norm": "ln_attn", "mlp.norm": "ln_mlp"})


def architecture(c: Settings) -> Architecture:
    """`num_kv_heads` counts in the new architecture alone; under the old one `multi_query` means one head.

    The new one repeats its key-value heads before transformers 5.24 caches them (modeling_falcon.py, `FalconAttention.forward`).
    """
    hidden = c.data["n_embed"] if isinstance(c.data.get("n_embed"), int) and c.data["n_embed"] else c.int("hidden_size")
    heads, norm = c.int("num_attention_heads"), layer_norm(c, "layer_norm_epsilon")
    width, new = quotient(c, hidden, heads), c.flag("new_decoder_architecture")
    groups = heads if new else 1 if c.flag("multi_query", True) else heads
    if new:
        groups = c.optional_int("num_kv_heads", minimum=1) or heads
    biases = QKVO if c.flag("bias") else []
    position = Alibi() if c.flag("alibi") else rotary(c, width)
    inner = c.optional_int("ffn_hidden_size", minimum=1) or 4 * hidden
    forward = plain(inner, c.text("activation") or "gelu", bias=bool(biases))
    norms = c.optional_int("num_ln_in_parallel_attn")
    double = (2 if new else 1) if norms is None else norms
    arrange = sequential if not c.flag("parallel_attn", True) else parallel_normed if double == 2 else parallel

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=groups,
            head_dim=width,
            packing="qkv",
            biases=biases,
            mask=CAUSAL,
            position=position,
            kept_tokens=kept,
            cached_heads=heads if new else None,
        )
        return arrange(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Falcon checkpoint."""
    normed = any(step.mixer_norms for block in a.main.blocks for step in block.sublayers)
    return model(a, NORMED if normed else NAMES)
