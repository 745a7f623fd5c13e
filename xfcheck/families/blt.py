"""Byte latent transformer (Pagnoni et al. 2024, arXiv 2412.09871): bytes, patches where a small model is uncertain, bytes again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.vocabulary import Embedding
from ._classes import class_table
from ._read.decoder import causal_model, quotient, rms
from ._read.plain import sequential
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("blt",)

PLACES = {"encoder": "local_encoder", "global": "global_transformer", "decoder": "local_decoder", "patcher": "patcher"}
"""Stacks -> where their modules stand."""

CROSS = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "o_proj", "query_norm": "q_norm", "key_norm": "k_norm"}

NAMES = LLAMA.but(
    {
        "embedding": "model.local_encoder.embed_tokens",
        "hashes": "model.encoder_hash_tok_embedding",
        **{f"{stack}:layer": f"model.{place}.layers.{{layer}}." for stack, place in PLACES.items()},
        **{f"{stack}:final_norm": f"model.{place}.norm" for stack, place in PLACES.items()},
        **{f"{stack}:patches": f"model.{place}.patch_embedding_projection" for stack, place in PLACES.items()},
        **{
            f"{stack}:cross_{part}": f"model.{place}.cross_attn_layers.{{number}}.{name}"
            for stack, place in PLACES.items()
            for part, name in CROSS.items()
        },
        "global:narrowing": "model.global_transformer.token_embedding_projection",
        "stack_embedding": "model.patcher.embed_tokens",
        "patcher:scores": "model.patcher.lm_head",
    }
)
GROUPS = 6
"""Lengths of byte groups that are hashed where the file names none: 3 to 8."""


def architecture(c: Settings) -> Architecture:
    """Three columns of layers over bytes, patches and bytes, and the small model that finds the patches.

    A patch is counted as one byte, the most patches there can be; how many there are is decided by the bytes. Scores between bytes and
    patches are not counted.
    """
    parts = {name: c.nested(f"{name}_config", class_table(kind)) for name, kind in TABLES.items()}
    encoder, decoder, middle = parts["encoder"], parts["decoder"], parts["global"]
    window = c.optional_int("local_attention_window_len")
    local = CAUSAL if window is None else Mask(kind="sliding", window=window)
    narrow, wide = encoder.int("hidden_size"), middle.int("hidden_size")
    crossing = narrow * c.int("cross_attn_k", minimum=0)
    joined = [] if crossing == wide else [Projection(name="narrowing", shape=[wide, crossing])]
    first = column(encoder, "encoder", local, [*patches(encoder, narrow), *cross(encoder, ("query", "output"))])
    last = column(
        decoder, "decoder", local, [*patches(decoder, decoder.int("hidden_size_global", minimum=0)), *cross(decoder, ("key", "value"))]
    )
    stacks = [first, column(middle, "global", CAUSAL, joined), last.model_copy(update={"final_norm": rms(decoder)})]
    if c.flag("patch_in_forward"):
        stacks.append(patcher(parts["patcher"]))
    groups = len(c.list("encoder_hash_byte_group_size") or []) or GROUPS
    rows = c.int("encoder_hash_byte_group_vocab", minimum=0) * c.int("encoder_hash_byte_group_nb_functions", minimum=0) * groups
    hashes = Projection(name="hashes", shape=[rows, narrow], multiplies=False, component="token_embedding")
    made = causal_model(c, first)
    bytes_ = made.embedding and made.embedding.model_copy(update={"rows": encoder.int("vocab_size", minimum=0)})
    head = made.head.model_copy(update={"width": decoder.int("hidden_size")})
    return made.model_copy(update={"embedding": bytes_, "stacks": stacks, "projections": [hashes], "head": head})


TABLES = {
    "encoder": "blt_local_encoder",
    "global": "blt_global_transformer",
    "decoder": "blt_local_decoder",
    "patcher": "blt_patcher",
}
"""Stacks -> the types of their configs."""


def column(c: Settings, name: str, mask: Mask, projections: list[Projection]) -> Stack:
    """Llama's layers."""
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    width = head_width(c, hidden, heads)
    own = Attention(query_heads=heads, kv_heads=kv_heads(c), head_dim=width, mask=mask, position=rotary(c, width))
    inner = c.optional_int("intermediate_size") or int(8 * hidden / 3)
    forward = MLP(intermediate_size=inner, activation=c.text("hidden_act") or "silu", gated=True)
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    blocks = [Block(name=name, layers=layers, sublayers=sequential(own, forward, rms(c)))] if len(layers) else []
    return Stack(name=name, hidden_size=hidden, blocks=blocks, projections=projections)


def head_width(c: Settings, hidden: int, heads: int) -> int:
    """Hidden / heads, rounded down. Raises Refused XF102 where nothing is left."""
    return hidden // heads or quotient(c, hidden, heads)


def kv_heads(c: Settings) -> int:
    """As many as query heads where the file gives none or zero."""
    return c.optional_int("num_key_value_heads") or c.int("num_attention_heads")


def patches(c: Settings, size: int) -> list[Projection]:
    """The map to `cross_attn_k` vectors a patch, from vectors of `size`."""
    return [Projection(name="patches", shape=[c.int("hidden_size") * c.int("cross_attn_k", minimum=0), size])]


def cross(c: Settings, patched: tuple[str, ...]) -> list[Projection]:
    """Attention between bytes and patches, in every layer or in one; its norms are as wide as the stack.

    `patched`: the matrices that the `cross_attn_k` vectors of a patch meet.
    """
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    width = head_width(c, hidden, heads)
    query, key = heads * width, kv_heads(c) * width
    count = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT) if c.flag("cross_attn_all_layers") else 1)
    if not len(count):
        return []
    shapes = {"query": [query, hidden], "key": [key, hidden], "value": [key, hidden], "output": [hidden, query]}
    vectors = c.int("cross_attn_k", minimum=0)
    uses = {part: vectors if part in patched else 1 for part in shapes}
    return [
        *(
            Projection(name=f"cross_{part}", shape=shape, numbers=count, component="cross_attention", uses=uses[part])
            for part, shape in shapes.items()
        ),
        *(Projection(name=f"cross_{part}", shape=[hidden], multiplies=False, numbers=count, component="norm") for part in NORMS),
    ]


NORMS = ("query_norm", "key_norm")


def patcher(c: Settings) -> Stack:
    """The small model over bytes whose uncertainty ends a patch."""
    window, rows = c.optional_int("sliding_window"), c.int("vocab_size", minimum=0)
    mask = CAUSAL if window is None else Mask(kind="sliding", window=window)
    scores = Projection(name="scores", shape=[rows, c.int("hidden_size")])
    made = column(c, "patcher", mask, [scores])
    return made.model_copy(update={"embedding": Embedding(rows=rows), "final_norm": rms(c)})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a byte latent transformer's checkpoint.

    Of a tied pair the head is stored, and the table of bytes is its second name.
    """
    if not a.head.tied or a.head.kind != "causal":
        return model(a, NAMES)
    table, head = NAMES.find("embedding", "text") + ".weight", NAMES.find("head", "text") + ".weight"
    apart = a.model_copy(update={"head": a.head.model_copy(update={"tied": False})})
    return [row._replace(tied_to=head) if row.name == table else row for row in model(apart, NAMES)]
