"""MiniMax-Text-01 (arXiv 2501.08313): lightning attention and softmax attention, experts in every layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.lightning_attention import LightningAttention
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import SPARSE
from ._read.decoder import attention, causal_model, head_dim, rms
from ._read.hybrid import FULL, LINEAR, two_step
from ._read.layers import depth, every, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("minimax",)

LIGHTNING = "lightning_attention"

NAMES = LLAMA.but(
    {
        f"{LIGHTNING}.norm": "input_layernorm",
        f"{LIGHTNING}.qkv": "self_attn.qkv_proj",
        f"{LIGHTNING}.inner_norm": "self_attn.norm",
        f"{LIGHTNING}.gate": "self_attn.output_gate",
        f"{LIGHTNING}.out": "self_attn.out_proj",
        f"{LIGHTNING}.slope": "self_attn.slope_rate!",
        f"{LIGHTNING}.query_decay": "self_attn.query_decay!",
        f"{LIGHTNING}.key_decay": "self_attn.key_decay!",
        f"{LIGHTNING}.pair_decay": "self_attn.diagonal_decay!",
        "moe.router": "block_sparse_moe.gate",
        "moe.expert.gate": "block_sparse_moe.experts.{expert}.w1",
        "moe.expert.up": "block_sparse_moe.experts.{expert}.w3",
        "moe.expert.down": "block_sparse_moe.experts.{expert}.w2",
    },
    {"moe.router": "mlp.gate"},
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types`, else softmax attention in the even ones. Its cache keeps every token, whatever window the mask has."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width, window = head_dim(c, hidden, c.int("num_attention_heads")), c.optional_int("sliding_window")

    def mixing(kind: str) -> Sublayer:
        if kind == LINEAR:
            linear = LightningAttention(
                heads=c.int("num_attention_heads"),
                head_dim=width,
                block=c.int("block_size"),
                norm=Norm(eps=1e-6),
                activation=c.text("hidden_act") or "silu",
            )
            return Sublayer(name=LIGHTNING, mixers=[linear], norm=norm)
        mask = CAUSAL if window is None else Mask(kind="sliding", window=window)
        heads = attention(c, hidden, mask=mask, position=rotary(c, width), width=width, kept_tokens=None if window is None else 0)
        return Sublayer(name="attention", mixers=[heads], norm=norm)

    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=Router(normalise=True))
    feed = Sublayer(name="feed_forward", mixers=[experts], norm=norm)
    kinds = listed(c, layers, known=(LINEAR, FULL)) or every(layers, 2, LINEAR, FULL)
    blocks = two_step(kinds, mixing, {SPARSE: LayerSet.first(layers)}, lambda _: feed)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a MiniMax-Text-01 checkpoint, the decays of its linear layers among them."""
    return model(a, NAMES)
