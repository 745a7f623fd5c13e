"""CPM-Ant (OpenBMB 2022): 32 prompt vectors before every sequence, relative positions by bucket and segment, no biases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Padding, Projection
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ._read.decoder import causal_model, gated, rms
from ._read.dense import alike
from ._read.plain import sequential
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("cpmant",)

NAMES = LLAMA.but(
    {
        "embedding": "cpmant.input_embedding",
        "segments": "cpmant.segment_embedding",
        "position_bias": "cpmant.position_bias.relative_attention_bias!",
        "layer": "cpmant.encoder.layers.{layer}.",
        "final_norm": "cpmant.encoder.output_layernorm",
        "attention.norm": "self_att.layernorm_before_attention",
        "attention.query": "self_att.self_attention.project_q",
        "attention.key": "self_att.self_attention.project_k",
        "attention.value": "self_att.self_attention.project_v",
        "attention.output": "self_att.self_attention.attention_out",
        "feed_forward.norm": "ffn.layernorm_before_ffn",
        "mlp.gate": "ffn.ffn.w_in.w_0",
        "mlp.up": "ffn.ffn.w_in.w_1",
        "mlp.down": "ffn.ffn.w_out",
    },
    base_prefix="cpmant.",
)


def architecture(c: Settings) -> Architecture:
    """The table holds the prompts' rows too; one bias a bucket, and one a pair of segments. The prompts pass and are kept like tokens.

    Transformers 5.24 lets every token see all others (`_prepare_attention_mask` of modeling_cpmant.py: all of a prompt is context).
    """
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), rms(c, "eps")
    segments, buckets = c.int("segment_types"), c.int("position_bias_num_buckets")
    length = c.int("prompt_length", minimum=0)
    prompts = c.int("prompt_types", minimum=0) * length
    width, forward = c.int("dim_head"), gated(c, "dim_ff")

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(query_heads=heads, kv_heads=heads, head_dim=width, mask=BIDIRECTIONAL, cached=True, kept_tokens=kept)
        return sequential(mixer, forward, norm)

    tables = [
        Projection(name="segments", shape=[segments, hidden], multiplies=False, component="token_embedding"),
        Projection(name="position_bias", shape=[segments * segments + buckets, heads], multiplies=False, component="position_embedding"),
    ]
    stack = alike(c, hidden, layer, norm).model_copy(update={"padding": Padding(prompts=length)})
    made = causal_model(c, stack, tied=False)
    head = made.head.model_copy(update={"stream": "given"})
    table = made.embedding and made.embedding.model_copy(update={"rows": made.embedding.rows + prompts})
    return made.model_copy(update={"embedding": table, "projections": tables, "head": head})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a CPM-Ant checkpoint."""
    return model(a, NAMES)
