"""LiLT (Wang et al. 2022, arXiv 2202.13669): RoBERTa beside a narrow encoder of boxes; each adds its scores to the other's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._read.decoder import QKVO, layer_norm
from ._read.encoder import Tasks, column, encoder_model, learned, pad_offset, residual_steps
from ._rows.encoder_names import DENSE, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("lilt",)
SIDES = ("x", "y", "h", "w")
"""Corners and extents of a box, a table each."""

PARTS = {"query": "self.layout_query", "key": "self.layout_key", "value": "self.layout_value", "output": "layout_output.dense"}
NAMES = bert_names(
    "lilt",
    DENSE,
    {
        **{f"box_{side}": f"lilt.layout_embeddings.{side}_position_embeddings" for side in SIDES},
        "box_positions": "lilt.layout_embeddings.box_position_embeddings",
        "box_map": "lilt.layout_embeddings.box_linear_embeddings",
        "box_norm": "lilt.layout_embeddings.LayerNorm",
        **{f"layout_attention.{part}": f"attention.{name}" for part, name in PARTS.items()},
        "attention.layout_norm": "attention.layout_output.LayerNorm",
        "layout_mlp.up": "layout_intermediate.dense",
        "layout_mlp.down": "layout_output.dense",
        "feed_forward.layout_norm": "layout_output.LayerNorm",
    },
)


def architecture(c: Settings) -> Architecture:
    """The layout's part is `channel_shrink_ratio` times narrower throughout."""
    hidden, norm, ratio, heads = c.int("hidden_size"), layer_norm(c), c.int("channel_shrink_ratio"), c.int("num_attention_heads")
    small = hidden // ratio
    if hidden % (heads * ratio) or hidden % 6:
        raise c.refuse(
            "hidden_size", f"hidden_size {hidden} is no multiple of 6 and of {heads} heads x channel_shrink_ratio {ratio}", code="XF102"
        )
    attending, feeding = residual_steps(c, hidden, norm, cross=False)
    layout = Attention(
        name="layout_attention",
        query_heads=heads,
        kv_heads=heads,
        head_dim=small // heads,
        biases=QKVO,
        mask=BIDIRECTIONAL,
        input_size=small,
        output_size=small,
    )
    forward = MLP(
        name="layout_mlp",
        intermediate_size=c.int("intermediate_size") // ratio,
        activation=c.text("hidden_act") or "gelu",
        gated=False,
        bias=True,
        output_bias=True,
        input_size=small,
        output_size=small,
    )
    between = Projection(name="layout_norm", shape=[small], multiplies=False, bias=True, component="norm")
    steps = [
        attending.model_copy(update={"mixers": [*attending.mixers, layout], "projections": [between]}),
        feeding.model_copy(update={"mixers": [*feeding.mixers, forward], "projections": [between]}),
    ]
    tasks = Tasks(pooled=("none",), dense=("sequence_classification",), default="none")
    stack = column(c, hidden, steps, embedding_norm=norm)
    return encoder_model(c, stack, tasks, position=learned(c, offset=pad_offset(c)), projections=boxes(c, hidden, small))


def boxes(c: Settings, hidden: int, small: int) -> list[Projection]:
    """Tables of places on the page, their map to the narrow width, positions in the text, a norm."""
    rows, component = c.int("max_2d_position_embeddings"), "position_embedding"
    return [
        *(Projection(name=f"box_{side}", shape=[rows, hidden // 6], multiplies=False, component=component) for side in SIDES),
        Projection(name="box_positions", shape=[c.int("max_position_embeddings"), small], multiplies=False, component=component),
        Projection(name="box_map", shape=[small, hidden], bias=True, component=component),
        Projection(name="box_norm", shape=[small], multiplies=False, bias=True, component="norm"),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
