"""MiniCPM, MiniCPM4 and MiniCPM-MoE (arXiv 2404.06395, 2506.07900): Llama with scaled embedding, steps and head; experts in some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.moe import Router
from ._read.blocks import prenorm
from ._read.decoder import QKVO, causal_model, gated, head_dim, rms
from ._read.dense import causal_stack, scaled
from ._read.moe import routed
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..architecture.part import Mixer
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("minicpm",)
CONFIRMED = {
    "minicpm": "arXiv 2404.06395, table of MiniCPM-2.4B: 2,442,057,984 parameters beside the embedding",
}

TABLE = published(
    "minicpm",
    "MiniCPMConfig",
    "configuration_minicpm.py of openbmb/MiniCPM-2B-sft-bf16",
    defaults={
        "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": None, "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True, "attention_bias": False, "num_experts": 0, "num_experts_per_tok": 2, "scale_emb": 1, "scale_depth": 1,
        "dim_model_base": 1,
    },
    models={"MiniCPMForCausalLM": "causal", "MiniCPMForSequenceClassification": "sequence_classification"},
)  # fmt: skip

NAMES = LLAMA.but({f"moe.expert.{part}": f"mlp.experts.{{expert}}.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))}, {})


def architecture(c: Settings) -> Architecture:
    """`num_experts` above 0 makes every layer's network that many experts. Sparse attention (`sparse_config`) has no weights of its own."""
    c = under(c, TABLE, attention_bias=False, num_experts=0)
    if c.data.get("sparse_config") is not None:
        c.assume("sparse_config", None, "every layer is counted as dense attention: its blocks are chosen while it runs", estimated=False)
    hidden, norm = c.int("hidden_size"), rms(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    forward: Mixer = gated(c)
    if c.optional_int("num_experts"):
        forward = routed(c, experts="num_experts", width="intermediate_size", router=Router(normalise=True))
    depth_scale = (c.number("scale_depth") or 1.0) / c.int("num_hidden_layers") ** 0.5

    def arrange(heads: Mixer, feed: Mixer, between: Norm) -> list[Sublayer]:
        return scaled(prenorm(heads, feed, between), depth_scale)

    biased = QKVO if c.flag("attention_bias") else []
    stack = causal_stack(c, hidden, forward, norm, width=width, position=rotary(c, width), biases=biased, arrange=arrange)
    base = (c.number("dim_model_base") or 1.0) / hidden
    return causal_model(c, stack, multiplier=c.number("scale_emb") or 1.0, head_multiplier=base)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
