"""BLOOM (arXiv 2211.05100): ALiBi, a norm after the embedding, biases everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.positions.biases import Alibi
from ._read.decoder import QKVO, causal_model, layer_norm
from ._read.dense import alike
from ._read.plain import multi_head, plain, sequential
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("bloom",)

NAMES = TRANSFORMER.but(
    {
        "embedding": "transformer.word_embeddings",
        "embedding_norm": "transformer.word_embeddings_layernorm",
        "attention.norm": "input_layernorm",
        "attention.qkv": "self_attention.query_key_value",
        "attention.output": "self_attention.dense",
        "feed_forward.norm": "post_attention_layernorm",
        "mlp.up": "mlp.dense_h_to_4h",
        "mlp.down": "mlp.dense_4h_to_h",
    }
)


def architecture(c: Settings) -> Architecture:
    """d_ff is 4 d whatever the file says; the older key `n_embed` beats `hidden_size`."""
    hidden, norm = c.int("n_embed" if c.data.get("n_embed") is not None else "hidden_size"), layer_norm(c, "layer_norm_epsilon")
    forward = plain(4 * hidden, "gelu")

    def layer(kept: int | None) -> list[Sublayer]:
        return sequential(multi_head(c, hidden, mask=CAUSAL, position=Alibi(), biases=QKVO, packed=True, kept_tokens=kept), forward, norm)

    stack = alike(c, hidden, layer, norm)
    return causal_model(c, stack.model_copy(update={"embedding_norm": norm}))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a BLOOM checkpoint."""
    return model(a, NAMES)
