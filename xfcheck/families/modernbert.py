"""ModernBERT (Warner et al. 2024, arXiv 2412.13663): pre-norm, gated, rotary; most layers see a window to either side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import BIDIRECTIONAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.decoder import QKVO, quotient
from ._read.encoder import ONCE, Tasks, encoder_head, encoder_model
from ._read.layers import crossed, depth, every, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.vocabulary import Head
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("modernbert",)

NAMES = Names(
    {
        "embedding": "model.embeddings.tok_embeddings",
        "embedding_norm": "model.embeddings.norm",
        "layer": "model.layers.{layer}.",
        "attention.norm": "attn_norm",
        "attention.qkv": "attn.Wqkv",
        "attention.output": "attn.Wo",
        "feed_forward.norm": "mlp_norm",
        "mlp.gate_up": "mlp.Wi",
        "mlp.down": "mlp.Wo",
        "final_norm": "model.final_norm",
        "transform": "head.dense",
        "transform_norm": "head.norm",
        "head": "decoder",
        "classifier": "classifier",
    }
)
TASKS = Tasks(pooled=(), bias_apart=False)


def architecture(c: Settings) -> Architecture:
    """Every third layer sees everything, unless the file says otherwise; the first has no norm before its attention."""
    stack = encoder(c)
    head, pieces = head_and_pieces(c, stack.hidden_size)
    return encoder_model(c, stack, TASKS, types=0, projections=pieces, head=head)


def encoder(c: Settings) -> Stack:
    """The layers, which a model of words and images shares."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    layers = depth(c)
    seen = listed(c, layers, known=(FULL, SLIDING)) or every(
        layers, c.optional_int("global_attn_every_n_layers", minimum=1) or 3, FULL, SLIDING, offset=0
    )
    places = {name: held for name, held in (("first", LayerSet.first(1)), ("later", LayerSet((range(1, layers),)))) if len(held)}
    blocks = []
    for (kind, place), held in crossed(seen, places).items():
        steps = [
            Sublayer(name="attention", mixers=[_attention(c, hidden, kind)], norm=None if place == "first" else norm),
            Sublayer(name="feed_forward", mixers=[_forward(c)], norm=norm),
        ]
        blocks.append(Block(name=f"{kind}, {place}", layers=held, sublayers=steps))
    return Stack(hidden_size=hidden, blocks=blocks, embedding_norm=norm, final_norm=norm)


def layer_norm(c: Settings) -> Norm:
    """The norm of every place, with a bias where `norm_bias` says so."""
    return Norm(kind="layer", eps=c.number("norm_eps"), bias=c.flag("norm_bias"))


def _attention(c: Settings, hidden: int, kind: str) -> Attention:
    """Half of `local_attention` keys to either side in a sliding layer; an undeclared `sliding_window` is that half."""
    heads = c.int("num_attention_heads")
    reach = c.data.get("sliding_window")
    if isinstance(reach, bool) or not isinstance(reach, int):
        reach = c.int("local_attention") // 2
    width = quotient(c, hidden, heads)
    return Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=width,
        packing="qkv",
        biases=QKVO if c.flag("attention_bias") else [],
        mask=Mask(kind="local", window=reach) if kind == SLIDING else BIDIRECTIONAL,
        position=rotary(c, width, layer_type=kind),
        dropout=c.number("attention_dropout") or 0.0,
    )


def _forward(c: Settings) -> MLP:
    bias = c.flag("mlp_bias")
    return MLP(
        intermediate_size=c.int("intermediate_size"),
        activation=c.text("hidden_activation") or "gelu",
        gated=True,
        bias=bias,
        output_bias=bias,
        packing="gate_up",
    )


def head_and_pieces(c: Settings, hidden: int, made: Head | None = None) -> tuple[Head, list[Projection]]:
    """The head; a dense layer and a norm stand before every kind of score, on one vector where one is scored."""
    head = encoder_head(c, TASKS, c.int("vocab_size")) if made is None else made
    if head.kind == "none":
        return head, []
    norm, bias = layer_norm(c), c.flag("classifier_bias")
    if head.rows:
        changed: dict[str, Any] = {"transform": True, "transform_bias": bias, "transform_norm": norm, "bias": c.flag("decoder_bias", True)}
        return head.model_copy(update=changed), []
    stream = "pooled" if head.kind in ONCE else None
    return head, [
        Projection(name="transform", shape=[hidden, hidden], bias=bias, component="head", stream=stream),
        Projection(name="transform_norm", shape=[hidden], multiplies=False, bias=norm.bias, component="head"),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a ModernBERT checkpoint."""
    return model(a, NAMES)
