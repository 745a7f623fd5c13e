"""NeoMME: an encoder of words and raw image patches with a factorised table, gated attention and value embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import BIDIRECTIONAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ..architecture.vocabulary import Head
from ._read.decoder import kv_heads
from ._read.encoder import Tasks, encoder_model
from ._read.head import architecture_name, head_kind
from ._read.layers import depth, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.decoder import Biased
    from ._read.settings import Settings

MODEL_TYPES = ("neomme",)

LONG = 1024
"""Keys to either side in every second sliding layer, a constant of the class (configuration_neomme.py, 5.24)."""

NAMES = Names(
    {
        "embedding": "model.embed_tokens.word_embeddings",
        "embedding_projection": "model.embed_tokens.embedding_projection",
        "layer": "model.layers.{layer}.",
        "mixing": "lambdas!",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.gate": "self_attn.output_projection.gate_proj",
        "attention.output": "self_attn.output_projection.o_proj",
        "attention.own_value": "self_attn.exclusive_self_attention.alpha!",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
        "values": "model.value_embeddings",
        "patch_norm": "model.patch_embeddings.norm",
        "patch_up": "model.patch_embeddings.up_proj",
        "patch_down": "model.patch_embeddings.down_proj",
        "unembedding": "unembedding_projection",
        "head": "lm_head",
        "vectors": "multi_vector_head.proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """No norm has a weight. Patches do no work without images; the table of values is added in two layers that see everything."""
    hidden, heads, width = c.int("hidden_size"), c.int("num_attention_heads"), c.int("head_dim")
    layers, groups = depth(c), kv_heads(c, heads)
    blocks = [
        Block(
            name=f"window {window}" if window else "full",
            layers=held,
            sublayers=_steps(c, heads, groups, width, window),
            projections=[_mixing()],
        )
        for window, held in _windows(c, layers).items()
    ]
    none = Norm(weight=False)
    stack = Stack(hidden_size=hidden, blocks=blocks, embedding_norm=none, final_norm=none)
    rank, rows, patch = c.int("embedding_rank"), c.int("vocab_size"), 3 * c.int("patch_size") ** 2
    pieces = [
        Projection(name="values", shape=[rows, groups * width], multiplies=False, component="token_embedding"),
        Projection(name="patch_norm", shape=[patch], multiplies=False, bias=True, component="vision"),
        Projection(name="patch_up", shape=[2 * hidden, patch], component="vision", stream="image"),
        Projection(name="patch_down", shape=[hidden, 2 * hidden], bias=True, component="vision", stream="image"),
    ]
    head = Head(kind="none")
    if architecture_name(c) == "NeoMMEForRetrieval":
        head = Head(kind="other")
        pieces.append(Projection(name="vectors", shape=[c.int("embedding_dim"), hidden], component="head"))
    elif head_kind(c, "masked") == "masked":
        tied = c.flag("tie_word_embeddings")
        head = Head(kind="masked", rows=rows, tied=tied, width=rank)
        pieces.append(Projection(name="unembedding", shape=[hidden, rank], component="head", tied=tied))
    tasks = Tasks(pooled=(), transform=False)
    a = encoder_model(c, stack, tasks, width=rank, types=0, projections=pieces, projection_bias=False, head=head)
    assert a.embedding is not None
    return a.model_copy(update={"embedding": a.embedding.model_copy(update={"projection": True})})


def _mixing() -> Projection:
    """How much of the layer's input and of the embedding a layer reads."""
    return Projection(name="mixing", shape=[2], multiplies=False)


def _steps(c: Settings, heads: int, groups: int, width: int, window: int | None) -> list[Sublayer]:
    biases: list[Biased] = ["query", "key", "value", "output"] if c.flag("attention_bias") else []
    none, bias = Norm(weight=False), c.flag("mlp_bias")
    mixer = Attention(
        query_heads=heads,
        kv_heads=groups,
        head_dim=width,
        biases=biases,
        query_norm=none,
        key_norm=none,
        gate="elementwise",
        mask=Mask(kind="local", window=window) if window else BIDIRECTIONAL,
        position=rotary(c, width, layer_type=SLIDING if window else FULL),
        dropout=c.number("attention_dropout") or 0.0,
    )
    activation = c.text("hidden_act") or "relu2"
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=activation, gated=False, bias=bias, output_bias=bias)
    own = Projection(name="own_value", shape=[heads], multiplies=False, component="attention")
    return [
        Sublayer(name="attention", mixers=[mixer], norm=none, projections=[own]),
        Sublayer(name="feed_forward", mixers=[forward], norm=none),
    ]


def _windows(c: Settings, layers: int) -> dict[int | None, LayerSet]:
    """Window (null: everything) -> its layers: every sixth and the last see everything, the others near and far in turn."""
    kinds = listed(c, layers, known=(FULL, SLIDING))
    if kinds is None:
        whole = {i for i in range(layers) if (i + 1) % 6 == 0 or i == layers - 1}
    else:
        whole = set(kinds.get(FULL, ()))
        if not whole:
            raise c.refuse("layer_types", "layer_types needs a layer that sees everything", code="XF114")
    near, given = c.int("sliding_window"), c.mapping("per_layer_config")
    held: dict[int | None, list[int]] = {}
    slid = 0
    for index in range(layers):
        window = None if index in whole else near
        if given is not None:
            own = given.get(str(index))
            window = own.get("sliding_window", window) if isinstance(own, dict) else window
        elif window is not None:
            window, slid = (LONG if slid % 2 else near), slid + 1
        held.setdefault(window, []).append(index)
    for given_window in held:
        if given_window is not None and (type(given_window) is not int or given_window < 1):
            raise c.refuse("per_layer_config", f"per_layer_config holds a sliding_window of {given_window!r}", code="XF321")
    return {window: LayerSet.of(indices) for window, indices in held.items()}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a NeoMME checkpoint; tied, the map from the embedding's rank serves both ways."""
    rows = model(a, NAMES)
    if not a.head.tied:
        return rows
    source = NAMES.find("embedding_projection", "text") + ".weight"
    return [row._replace(tied_to=source) if row.role.part == "unembedding" else row for row in rows]
