"""Encoders with rotary positions and BERT's places of norms: GTE, Nomic, Jina v3.

Zhang et al. 2024 (arXiv 2407.19669), Nussbaum et al. 2024 (arXiv 2402.01613), Sturua et al. 2024 (arXiv 2409.10173).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._read.decoder import QKVO, layer_norm
from ._read.encoder import ROBERTA_TASKS, Tasks, column, encoder_model
from ._read.rotary import rotary
from ._rows.encoder_names import CLASSIFIER, CLS, DENSE, LM_HEAD
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gte", "nomic_bert", "jina_embeddings_v3")

SPLIT = "self_attn.q_proj|self_attn.k_proj|self_attn.v_proj"


def _modules(base: str, **more: str) -> dict[str, str]:
    """The names of transformers' modules, which the three share."""
    return {
        "layer": f"{base}.layers.{{layer}}.",
        "embedding_norm": f"{base}.embeddings.LayerNorm",
        "attention.qkv": SPLIT,
        "attention.output": "self_attn.o_proj",
        "attention.norm_residual": "post_attention_layernorm",
        "feed_forward.norm_residual": "post_mlp_layernorm",
        **more,
    }


def _tables(base: str) -> dict[str, str]:
    return {
        "embedding": f"{base}.embeddings.word_embeddings",
        "types": f"{base}.embeddings.token_type_embeddings",
        "pooler": f"{base}.pooler.dense",
        **CLASSIFIER,
    }


NAMES = {
    "gte": Names(
        {
            **_tables("gte"),
            "embedding_norm": "gte.embeddings.LayerNorm",
            "layer": "gte.encoder.layer.{layer}.",
            "attention.qkv": "attention.qkv_proj",
            "attention.output": "attention.o_proj",
            "attention.norm_residual": "attn_ln",
            "mlp.gate_up": "mlp.up_gate_proj",
            "mlp.down": "mlp.down_proj",
            "feed_forward.norm_residual": "mlp_ln",
            "transform": "lm_head.dense",
            "transform_norm": "lm_head.norm",
            "head": "lm_head.decoder",
        },
        _modules("gte", transform_norm="lm_head.layer_norm", **{"mlp.gate_up": "mlp.up_proj|mlp.gate_proj"}),
        base_prefix="gte.",
    ),
    "nomic_bert": Names(
        {
            **_tables("nomic_bert"),
            "embedding_norm": "nomic_bert.emb_ln",
            "layer": "nomic_bert.encoder.layers.{layer}.",
            "attention.qkv": "attn.Wqkv",
            "attention.output": "attn.out_proj",
            "attention.norm_residual": "norm1",
            "mlp.up": "mlp.fc11",
            "mlp.gate": "mlp.fc12",
            "mlp.down": "mlp.fc2",
            "feed_forward.norm_residual": "norm2",
            **CLS,
            "transform_norm": "cls.predictions.transform.layer_norm",
        },
        _modules("nomic_bert", **{"mlp.up": "mlp.up_proj", "mlp.gate": "mlp.gate_proj", "mlp.down": "mlp.down_proj"}),
        base_prefix="nomic_bert.",
    ),
    "jina_embeddings_v3": Names(
        {
            **_tables("roberta"),
            "embedding_norm": "roberta.emb_ln",
            "layer": "roberta.encoder.layers.{layer}.",
            "attention.qkv": "mixer.Wqkv",
            "attention.output": "mixer.out_proj",
            "attention.norm_residual": "norm1",
            "mlp.up": "mlp.fc1",
            "mlp.down": "mlp.fc2",
            "feed_forward.norm_residual": "norm2",
            **LM_HEAD,
            **DENSE,
        },
        _modules("roberta"),
        base_prefix="roberta.",
    ),
}


def architecture(c: Settings) -> Architecture:
    """Post-norm encoder, no table of positions. Biases: all in Jina v3, all but gate and up in GTE, none in Nomic's layers."""
    naming = "gte" if c.table is None else c.table.model_type
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    biased = naming != "nomic_bert"
    # the classes round down where the heads do not divide the hidden size
    width = c.optional_int("head_dim", minimum=1) or hidden // heads
    attention = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=width,
        packing="qkv",
        biases=QKVO if biased else [],
        mask=BIDIRECTIONAL,
        position=rotary(c, width),
    )
    forward = MLP(
        intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "gelu", gated=naming != "jina_embeddings_v3",
        bias=naming == "jina_embeddings_v3", output_bias=biased, packing="gate_up" if naming == "gte" else "separate",
    )  # fmt: skip
    steps = [
        Sublayer(name="attention", mixers=[attention], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm),
    ]
    tasks = ROBERTA_TASKS if naming == "jina_embeddings_v3" else Tasks(pooled=("sequence_classification",), bias_apart=naming != "gte")
    # GTE alone leaves the table out at 0
    types = c.int("type_vocab_size", minimum=0 if naming == "gte" else 1)
    return encoder_model(c, column(c, hidden, steps, embedding_norm=norm), tasks, naming=naming, types=types)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES[a.naming or "gte"])
