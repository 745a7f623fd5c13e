"""ALBERT (Lan et al. 2019, arXiv 1909.11942): a narrow table mapped to the hidden size, and groups of layers that many depths share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ._read.decoder import layer_norm
from ._read.encoder import encoder_model, feed_forward, learned, self_attention
from ._read.layers import depth
from ._rows.encoder_names import CLASSIFIER
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("albert",)

NAMES = Names(
    {
        "embedding": "albert.embeddings.word_embeddings",
        "positions": "albert.embeddings.position_embeddings",
        "types": "albert.embeddings.token_type_embeddings",
        "embedding_norm": "albert.embeddings.LayerNorm",
        "embedding_projection": "albert.encoder.embedding_hidden_mapping_in",
        "layer": "albert.encoder.albert_layer_groups.{layer}.albert_layers.",
        "pooler": "albert.pooler",
        "transform": "predictions.dense",
        "transform_norm": "predictions.LayerNorm",
        "head": "predictions.decoder",
        "head_bias": "predictions",
        **CLASSIFIER,
        "next_sentence": "sop_classifier.classifier",
    },
    base_prefix="albert.",
)
WITHIN = {
    "query": "attention.query",
    "key": "attention.key",
    "value": "attention.value",
    "output": "attention.dense",
    "norm_residual": "attention.LayerNorm",
}


def architecture(c: Settings) -> Architecture:
    """`num_hidden_groups` sets of weights; depth i uses group int(i * groups / layers). A group has `inner_group_num` layers in a row."""
    hidden, width, norm = c.int("hidden_size"), c.int("embedding_size"), layer_norm(c)
    inner = c.int("inner_group_num", maximum=1000)
    steps = []
    for index in range(inner):
        attention = self_attention(c, hidden, causal=False).model_copy(update={"name": f"attention{index}"})
        forward = feed_forward(c).model_copy(update={"name": f"mlp{index}"})
        steps.append(Sublayer(name=f"attention{index}", mixers=[attention], norm_residual=norm))
        steps.append(Sublayer(name=f"feed_forward{index}", mixers=[forward], norm_residual=norm))
    blocks = [
        Block(name=f"group used {uses} times", layers=groups, sublayers=steps, uses=uses)
        for uses, groups in used(depth(c), c.int("num_hidden_groups", maximum=LIMIT)).items()
    ]
    stack = Stack(hidden_size=hidden, blocks=blocks, embedding_norm=norm.model_copy(update={"size": width}))
    a = encoder_model(c, stack, position=learned(c), width=width)
    assert a.embedding is not None
    return a.model_copy(update={"embedding": a.embedding.model_copy(update={"projection": True})})


def used(layers: int, groups: int) -> dict[int, LayerSet]:
    """How often a group is used -> the groups used that often."""
    if layers % groups == 0:
        return {layers // groups: LayerSet.first(groups)}
    counts: dict[int, list[int]] = {}
    for group in range(groups):
        first, last = -(-group * layers // groups), -(-(group + 1) * layers // groups)
        counts.setdefault(last - first, []).append(group)
    return {uses: LayerSet.of(held) for uses, held in counts.items()}


def ledger(a: Architecture) -> list[Row]:
    """The rows of an ALBERT checkpoint; the layers inside a group are named one by one."""
    inner = len(a.main.blocks[0].sublayers) // 2
    names = {}
    for i in range(inner):
        names.update({f"attention{i}.{part}": f"{i}.{name}" for part, name in WITHIN.items()})
        names.update({f"mlp{i}.up": f"{i}.ffn", f"mlp{i}.down": f"{i}.ffn_output"})
        names[f"feed_forward{i}.norm_residual"] = f"{i}.full_layer_layer_norm"
    return model(a, NAMES.but(names))
