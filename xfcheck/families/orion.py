"""Orion (arXiv 2401.12246): Llama with layer norms; BlueLM: Llama with a layer norm behind the embedding; PLaMo: one norm a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._read.blocks import prenorm
from ._read.decoder import QKVO, causal_model, gated, head_dim, layer_norm, rms
from ._read.dense import causal_stack, parallel
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("orion", "BlueLM", "plamo")

SIZES: dict[str, Any] = {
    "hidden_size": None, "intermediate_size": None, "num_hidden_layers": None, "num_attention_heads": None, "num_key_value_heads": None,
    "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "attention_bias": False,
}  # fmt: skip
TABLES = {
    "orion": published(
        "orion",
        "OrionConfig",
        "configuration_orion.py of OrionStarAI/Orion-14B-Base",
        defaults={**SIZES, "vocab_size": 84608},
        models={"OrionForCausalLM": "causal", "OrionForSequenceClassification": "sequence_classification"},
    ),
    "BlueLM": published(
        "BlueLM",
        "BlueLMConfig",
        "configuration_bluelm.py of vivo-ai/BlueLM-7B-Base",
        defaults={**SIZES, "vocab_size": 100096},
        models={"BlueLMForCausalLM": "causal"},
    ),
    "plamo": published(
        "plamo",
        "PlamoConfig",
        "configuration_plamo.py of pfnet/plamo-13b",
        defaults={**SIZES, "vocab_size": 50432, "n_shared_head": 8},
        models={"PlamoForCausalLM": "causal"},
    ),
}
PLAMO = LLAMA.but({"layer": "model.layers.layers.{layer}.", "attention.norm": "norm"})
BLUELM = LLAMA.but({"embedding_norm": "model.embed_layer_norm"})


def architecture(c: Settings) -> Architecture:
    """PLaMo: attention and network read one norm, and `n_shared_head` query heads share one of keys."""
    kind = str(c.data.get("model_type"))
    like(c, "read from the published class: no total that is known confirms it")
    c = under(c, TABLES[kind])
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    norm = layer_norm(c, "rms_norm_eps") if kind == "orion" else rms(c)
    width = head_dim(c, hidden, heads)
    if kind == "plamo":
        shared = -(-heads // c.int("n_shared_head"))
        c = Settings({**c.data, "num_key_value_heads": shared}, c.table, pointer=c.pointer, reading=c.reading)
    stack = causal_stack(
        c,
        hidden,
        gated(c),
        norm,
        width=width,
        position=rotary(c, width),
        biases=QKVO if c.flag("attention_bias") else [],
        arrange=parallel if kind == "plamo" else prenorm,
    )
    if kind == "BlueLM":
        stack = stack.model_copy(update={"embedding_norm": layer_norm(c, "rms_norm_eps")})
    return causal_model(c, stack).model_copy(update={"naming": kind})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, {"plamo": PLAMO, "BlueLM": BLUELM}.get(a.naming or "", LLAMA))
