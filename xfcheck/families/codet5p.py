"""CodeT5+ of 2B to 16B (arXiv 2305.07922): a small CodeGen encodes, a large one decodes, with cross attention in its last layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.model import Architecture
from ..architecture.positions.rotary import Rotary
from ..architecture.vocabulary import Embedding, Head
from ._classes import class_table
from ._read.decoder import dtype, layer_norm, quotient
from ._read.layers import depth
from ._read.published import like
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("codet5p",)
Side = Literal["encoder", "decoder"]

NAMES = Names(
    {
        "encoder:stack_embedding": "encoder.wte",
        "encoder:layer": "encoder.h.{layer}.",
        "encoder:final_norm": "encoder.ln_f",
        "embedding": "decoder.transformer.wte",
        "layer": "decoder.transformer.h.{layer}.",
        "final_norm": "decoder.transformer.ln_f",
        "head": "decoder.lm_head",
        "to_decoder": "enc_to_dec_proj",
        "attention.norm": "ln_1",
        "attention.qkv": "attn.qkv_proj",
        "attention.output": "attn.out_proj",
        "attention.mask": "attn.causal_mask!",
        "attention.cross_mask": "crossattention.causal_mask!",
        "cross_attention.query": "crossattention.q_attn",
        "cross_attention.key_value": "crossattention.qkv_proj",
        "cross_attention.output": "crossattention.out_proj",
        "mlp.up": "mlp.fc_in",
        "mlp.down": "mlp.fc_out",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """Sizes from `encoder` and `decoder`, each under CodeGen's keys."""
    like(
        c,
        "read from the published class; bytes and tensors of CodeT5+ 16B agree, the names of its cross attention are not confirmed",
    )
    table = class_table("codegen")
    sides = {side: c.nested(side, table) for side in ("encoder", "decoder")}
    for side, inner in sides.items():
        if not inner.data:
            raise c.refuse(side, f"{side} is missing: an object with the sizes of that side is needed", code="XF101")
    encoder, decoder = _stack(sides["encoder"], "encoder"), _stack(sides["decoder"], "decoder")
    rows = sides["decoder"].int("vocab_size")
    through = [encoder.hidden_size, decoder.hidden_size]
    bridge = Projection(name="to_decoder", shape=through[::-1], bias=True, stream="encoder")
    return Architecture(
        embedding=Embedding(rows=rows, streams=["decoder"]), stacks=[encoder, decoder],
        head=Head(kind="seq2seq", rows=rows, tied=sides["decoder"].flag("tie_word_embeddings"), bias=True, stream="decoder"),
        projections=[bridge] if through[0] != through[1] else [], maximum_positions=None, dtype=dtype(c),
    )  # fmt: skip


def _stack(c: Settings, side: Side) -> Stack:
    """One norm a layer, from which attention and network both read; the decoder's last layer reads the encoder besides."""
    hidden, heads, layers, norm = c.int("hidden_size"), c.int("num_attention_heads"), depth(c), layer_norm(c, "layer_norm_epsilon")
    width, inner, places = quotient(c, hidden, heads), c.optional_int("n_inner", minimum=1) or 4 * hidden, c.int("n_positions")
    attention = Attention(
        query_heads=heads, kv_heads=heads, head_dim=width, packing="qkv", mask=BIDIRECTIONAL if side == "encoder" else CAUSAL,
        position=Rotary(theta=10000.0, width=c.optional_int("rotary_dim") or width, layout="interleaved"),
    )  # fmt: skip
    forward = MLP(intermediate_size=inner, activation=c.text("activation_function") or "gelu_new", gated=False, bias=True, output_bias=True)
    cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, packing="key_value", memory="encoder")
    mask = Projection(name="mask", shape=[1, 1, places, places], multiplies=False, buffer=True, dtype="bool")
    plain = Sublayer(name="attention", mixers=[attention, forward], norm=norm, projections=[mask])
    crossing = side == "decoder" and c.flag("add_cross_attention")
    last = [
        plain.model_copy(
            update={"mixers": [attention, cross, forward], "projections": [mask, mask.model_copy(update={"name": "cross_mask"})]}
        )
    ]
    held = {"layers": LayerSet((range(layers - crossing),)), "last": LayerSet((range(layers - crossing, layers),))}
    blocks = [Block(name=name, layers=of, sublayers=[plain] if name == "layers" else last) for name, of in held.items() if len(of)]
    own = Embedding(rows=c.int("vocab_size"), streams=["encoder"]) if side == "encoder" else None
    return Stack(stream=side, hidden_size=hidden, blocks=blocks, final_norm=norm, embedding=own)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a CodeT5+ checkpoint, its masks among them."""
    return model(a, NAMES)
