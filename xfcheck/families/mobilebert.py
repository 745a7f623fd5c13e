"""MobileBERT (Sun et al. 2020, arXiv 2004.02984): narrow layers between bottlenecks, several feed-forward networks a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, quotient
from ._read.encoder import POOLED, Tasks, encoder_head, encoder_model
from ._read.layers import depth
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mobilebert",)

NAMES = bert_names(
    "mobilebert",
    {
        "token_types": "mobilebert.embeddings.token_type_embeddings",
        "trigrams": "mobilebert.embeddings.embedding_transformation",
        "narrow_input": "bottleneck.input.dense",
        "narrow_input_norm": "bottleneck.input.LayerNorm",
        "narrow_attention": "bottleneck.attention.dense",
        "narrow_attention_norm": "bottleneck.attention.LayerNorm",
        "widen": "output.bottleneck.dense",
        "widen_norm": "output.bottleneck.LayerNorm",
        "transform": "cls.predictions.transform.dense",
        "transform_norm": "cls.predictions.transform.LayerNorm",
        "other_scores": "cls.predictions.dense",
    },
)


def architecture(c: Settings) -> Architecture:
    """A layer of `intra_bottleneck_size` channels inside a stream of `hidden_size`; the tokens' vectors stand for three neighbours each."""
    hidden = c.int("hidden_size")
    true = c.optional_int("true_hidden_size", minimum=1) or (c.int("intra_bottleneck_size") if c.flag("use_bottleneck") else hidden)
    norm = Norm(kind="layer", eps=c.number("layer_norm_eps"), bias=True)
    block = Block(
        name="encoder", layers=LayerSet.first(depth(c)), sublayers=_steps(c, hidden, true), projections=_bottlenecks(c, hidden, true)
    )
    stack = Stack(hidden_size=hidden, blocks=[block], embedding_norm=norm)
    tasks = Tasks(pooled=POOLED if c.flag("classifier_activation") else (), transform=False)
    width, rows = c.int("embedding_size"), c.int("vocab_size")
    head = encoder_head(c, tasks, rows)
    pieces = [
        Projection(name="token_types", shape=[c.int("type_vocab_size", minimum=0), hidden], multiplies=False, component="token_embedding"),
        Projection(name="trigrams", shape=[hidden, width * (3 if c.flag("trigram_input") else 1)], bias=True),
    ]
    if head.rows:
        pieces += [
            Projection(name="transform", shape=[hidden, hidden], bias=True, component="head"),
            Projection(name="transform_norm", shape=[hidden], multiplies=False, bias=True, component="head"),
            Projection(name="other_scores", shape=[hidden - width, rows], component="head"),
        ]
    position = Learned(rows=c.int("max_position_embeddings"), width=hidden)
    a = encoder_model(c, stack, tasks, position=position, width=width, types=0, projections=pieces, head=head)
    assert a.embedding is not None
    return a.model_copy(update={"embedding": a.embedding.model_copy(update={"projection": False})})


def _steps(c: Settings, hidden: int, true: int) -> list[Sublayer]:
    """Attention, then `num_feedforward_networks` networks, all in the narrow width; values are read from the wide stream."""
    heads, inner = c.int("num_attention_heads"), c.int("intermediate_size")
    norm = Norm(kind="layer", eps=c.number("layer_norm_eps"), bias=True, size=true)
    attention = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, true, heads),
        biases=QKVO,
        mask=BIDIRECTIONAL,
        input_size=true,
        output_size=true,
        value_input_size=None if c.flag("use_bottleneck_attention") else hidden,
        dropout=c.number("attention_probs_dropout_prob") or 0.0,
    )
    steps = [Sublayer(name="attention", mixers=[attention], norm_residual=norm)]
    forward = MLP(
        intermediate_size=inner,
        activation=c.text("hidden_act") or "relu",
        gated=False,
        bias=True,
        output_bias=True,
        input_size=true,
        output_size=true,
    )
    earlier = [
        Sublayer(name=f"network{i}", mixers=[forward.model_copy(update={"name": f"ffn{i}"})], norm_residual=norm)
        for i in range(c.int("num_feedforward_networks", maximum=1000) - 1)
    ]
    return [*steps, *earlier, Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm)]


def _bottlenecks(c: Settings, hidden: int, true: int) -> list[Projection]:
    """The maps into the narrow width (one for the residual, one for query and key) and back, each with a norm."""
    if not c.flag("use_bottleneck"):
        return []
    narrow = c.int("intra_bottleneck_size")
    pieces = [("narrow_input", [narrow, hidden])]
    if c.flag("key_query_shared_bottleneck"):
        stream = "absent" if c.flag("use_bottleneck_attention") else None
        pieces.append(("narrow_attention", [narrow, hidden]))
    else:
        stream = None
    pieces.append(("widen", [hidden, true]))
    out = []
    for name, shape in pieces:
        out.append(Projection(name=name, shape=shape, bias=True, stream=stream if name == "narrow_attention" else None))
        out.append(Projection(name=f"{name}_norm", shape=shape[:1], multiplies=False, bias=True, component="norm"))
    return out


def ledger(a: Architecture) -> list[Row]:
    """The rows of a MobileBERT checkpoint; the networks before the last are named one by one."""
    names = {}
    for step in a.main.blocks[0].sublayers[1:-1]:
        index = step.name.removeprefix("network")
        names.update({f"ffn{index}.up": f"ffn.{index}.intermediate.dense", f"ffn{index}.down": f"ffn.{index}.output.dense"})
        names[f"{step.name}.norm_residual"] = f"ffn.{index}.output.LayerNorm"
    return model(a, NAMES.but(names))
