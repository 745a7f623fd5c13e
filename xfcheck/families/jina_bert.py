"""Encoders published beside transformers: Jina v2 (arXiv 2310.19923), GTE v1.5 (2407.19669) and NeoBERT (2502.19587)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Sublayer
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ..architecture.positions.biases import Alibi
from ._read.decoder import QKVO, layer_norm, quotient
from ._read.encoder import Tasks, column, encoder_model
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.encoder_names import CLASSIFIER, CLS, LM_HEAD
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("jina_bert", "new", "neobert")
CONFIRMED = {
    "jina_bert": "safetensors total of jinaai/jina-embeddings-v2-base-en: 137,368,320 parameters",
    "new": "safetensors total of Alibaba-NLP/gte-base-en-v1.5: 136,776,192 parameters",
}

SIZES: dict[str, Any] = {
    "vocab_size": 30528, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
    "hidden_act": "gelu", "max_position_embeddings": 8192, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0,
    "is_decoder": False, "tie_word_embeddings": True,
}  # fmt: skip
JINA = published(
    "jina_bert",
    "JinaBertConfig",
    "configuration_bert.py of jinaai/jina-bert-implementation",
    defaults={**SIZES, "position_embedding_type": "absolute", "feed_forward_type": "original"},
    models={"JinaBertModel": "base", "JinaBertForMaskedLM": "masked", "JinaBertForSequenceClassification": "sequence_classification"},
)
NEW = published(
    "new",
    "NewConfig",
    "configuration.py of Alibaba-NLP/new-impl",
    defaults={**SIZES, "type_vocab_size": 1, "pack_qkv": True, "position_embedding_type": "rope"},
    models={"NewModel": "base", "NewForMaskedLM": "masked", "NewForSequenceClassification": "sequence_classification"},
)
NEO = published(
    "neobert",
    "NeoBERTConfig",
    "model.py of chandar-lab/NeoBERT",
    defaults={**SIZES, "vocab_size": 30522, "num_hidden_layers": 28, "type_vocab_size": 0, "norm_eps": 1e-6, "max_length": 4096},
    aliases={"max_position_embeddings": "max_length"},
    models={"NeoBERT": "base", "NeoBERTLMHead": "masked", "NeoBERTForSequenceClassification": "sequence_classification"},
)

JINA_NAMES = Names(
    {
        "embedding": "bert.embeddings.word_embeddings",
        "types": "bert.embeddings.token_type_embeddings",
        "embedding_norm": "bert.embeddings.LayerNorm",
        "layer": "bert.encoder.layer.{layer}.",
        "attention.query": "attention.self.query",
        "attention.key": "attention.self.key",
        "attention.value": "attention.self.value",
        "attention.output": "attention.output.dense",
        "attention.norm_residual": "attention.output.LayerNorm",
        "mlp.up": "intermediate.dense",
        "mlp.gate_up": "mlp.gated_layers",
        "mlp.down": "mlp.wo",
        "feed_forward.norm_residual": "mlp.layernorm",
        "pooler": "bert.pooler.dense",
        **CLASSIFIER,
        **CLS,
    },
    base_prefix="bert.",
)
NEW_NAMES = Names(
    {
        "embedding": "new.embeddings.word_embeddings",
        "types": "new.embeddings.token_type_embeddings",
        "embedding_norm": "new.embeddings.LayerNorm",
        "layer": "new.encoder.layer.{layer}.",
        "attention.qkv": "attention.qkv_proj",
        "attention.output": "attention.o_proj",
        "attention.norm_residual": "attn_ln",
        "mlp.gate_up": "mlp.up_gate_proj",
        "mlp.down": "mlp.down_proj",
        "feed_forward.norm_residual": "mlp_ln",
        "pooler": "new.pooler.dense",
        **CLASSIFIER,
        **LM_HEAD,
        "transform_norm": "lm_head.norm",
        "head": "lm_head.decoder",
    },
    base_prefix="new.",
)
NEO_NAMES = Names(
    {
        "embedding": "model.encoder",
        "layer": "model.transformer_encoder.{layer}.",
        "final_norm": "model.layer_norm",
        "attention.norm": "attention_norm",
        "attention.qkv": "qkv",
        "attention.output": "wo",
        "feed_forward.norm": "ffn_norm",
        "mlp.gate_up": "ffn.w12",
        "mlp.down": "ffn.w3",
        "head": "decoder",
        **CLASSIFIER,
    },
    base_prefix="model.",
)


def architecture(c: Settings) -> Architecture:
    """Jina v2: slopes for positions and a gated network; GTE: rotary positions, tables of types only where there are some."""
    kind = str(c.data.get("model_type"))
    if kind == "neobert":
        return _neo(c)
    jina = kind != "new"
    named = c.data.get("architectures")
    head = (JINA if jina else NEW).architectures.get(named[0]) if isinstance(named, list) and named else None
    if head != "base":
        c.assume("architectures", named, "read from the class alone: no published total confirms this head", estimated=True)
    c = _under(c, jina=jina)
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    width, gated = quotient(c, hidden, heads), not jina or "glu" in (c.text("feed_forward_type") or "")
    attention = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=width,
        packing="separate" if jina else "qkv",
        biases=QKVO,
        mask=BIDIRECTIONAL,
        position=Alibi() if jina else rotary(c, width),
    )
    forward = MLP(
        intermediate_size=c.int("intermediate_size"),
        activation=c.text("hidden_act") or "gelu",
        gated=gated,
        bias=not gated,
        output_bias=True,
        packing="gate_up" if gated else "separate",
    )
    steps = [
        Sublayer(name="attention", mixers=[attention], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm),
    ]
    tasks = Tasks(pooled=("none", "sequence_classification") if jina else ("sequence_classification",))
    types = c.int("type_vocab_size", minimum=0)
    return encoder_model(c, column(c, hidden, steps, embedding_norm=norm), tasks, naming="jina" if jina else "new", types=types)


def _under(c: Settings, *, jina: bool) -> Settings:
    """The settings under their class; switches that the published checkpoints do not have make the numbers estimates."""
    table = JINA if jina else NEW
    made = type(c)(c.data, table, pointer=c.pointer, reading=c.reading)
    usual = {"position_embedding_type": "alibi", "feed_forward_type": "geglu"} if jina else {"pack_qkv": True}
    for key, value in usual.items():
        if (given := made.raw(key)) != value:
            c.assume(key, given, "read from the class alone: no published total confirms this switch", estimated=True)
    return made


MULTIPLE = 8


def _neo(c: Settings) -> Architecture:
    """Pre-norm, two thirds of the inner width rounded up to a multiple of 8, gate and up in one; no biases."""
    like(c, "read from the published class: the paper's 250M parameters are rounded")
    c = under(c, NEO)
    hidden, norm, heads = c.int("hidden_size"), Norm(eps=c.number("norm_eps")), c.int("num_attention_heads")
    width = quotient(c, hidden, heads)
    inner = -(-int(2 * c.int("intermediate_size") / 3) // MULTIPLE) * MULTIPLE
    turned = rotary(c, width, layout="interleaved")
    attention = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=width,
        packing="qkv",
        mask=BIDIRECTIONAL,
        position=turned,
    )
    steps = [
        Sublayer(name="attention", mixers=[attention], norm=norm),
        Sublayer(name="feed_forward", mixers=[MLP(intermediate_size=inner, gated=True, packing="gate_up")], norm=norm),
    ]
    stack = column(c, hidden, steps, embedding_norm=None, final_norm=norm)
    made = encoder_model(c, stack, Tasks(pooled=(), transform=False), naming="neo", types=0)
    return made.model_copy(update={"head": made.head.model_copy(update={"tied": False})})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, {"jina": JINA_NAMES, "neo": NEO_NAMES}.get(a.naming or "", NEW_NAMES))
