"""RecurrentGemma (arXiv 2404.07839): Griffin's recurrent blocks, sliding attention in every third layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import Mask
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.rg_lru import RgLru
from ._read.blocks import DENSE
from ._read.decoder import QKV, attention, causal_model, head_dim, rms
from ._read.hybrid import LINEAR, two_step
from ._read.layers import depth, grouped
from ._read.rotary import rotary
from ._read.windows import SLIDING
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("recurrent_gemma",)

REPEATS = 100
"""How often the class repeats `block_types` at most."""

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_norm",
        "rg_lru.norm": "temporal_pre_norm",
        "rg_lru.gate": "temporal_block.linear_y",
        "rg_lru.in": "temporal_block.linear_x",
        "rg_lru.conv": "temporal_block.conv_1d",
        "rg_lru.decay": "temporal_block.rg_lru.recurrent_param!",
        "rg_lru.input_gate": "temporal_block.rg_lru.input_gate_weight!",
        "rg_lru.input_gate_bias": "temporal_block.rg_lru.input_gate_bias!",
        "rg_lru.recurrent_gate": "temporal_block.rg_lru.recurrent_gate_weight!",
        "rg_lru.recurrent_gate_bias": "temporal_block.rg_lru.recurrent_gate_bias!",
        "rg_lru.out": "temporal_block.linear_out",
        "attention.norm": "temporal_pre_norm",
        "attention.query": "temporal_block.q_proj",
        "attention.key": "temporal_block.k_proj",
        "attention.value": "temporal_block.v_proj",
        "attention.output": "temporal_block.o_proj",
        "feed_forward.norm": "channel_pre_norm",
        "mlp.gate": "mlp_block.gate_proj",
        "mlp.up": "mlp_block.up_proj",
        "mlp.down": "mlp_block.down_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """Layers by `block_types`, repeated; feed-forward networks are half of `intermediate_size` wide; attention's output has a bias."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)

    def mixing(kind: str) -> Sublayer:
        if kind == LINEAR:
            lru = RgLru(
                width=c.optional_int("lru_width", minimum=1) or hidden, heads=c.int("num_attention_heads"), kernel=c.int("conv1d_width"),
                activation=c.text("hidden_activation") or "gelu_pytorch_tanh",
            )  # fmt: skip
            return Sublayer(name="rg_lru", mixers=[lru], norm=norm)
        width = head_dim(c, hidden, c.int("num_attention_heads"))
        biases = [*(QKV if c.flag("attention_bias") else []), "output"]
        mask = Mask(kind="sliding", window=c.int("attention_window_size"))
        heads = attention(c, hidden, mask=mask, position=rotary(c, width, partial=0.5), biases=biases, width=width)
        return Sublayer(name="attention", mixers=[heads], norm=norm)

    forward = MLP(
        intermediate_size=c.int("intermediate_size") // 2,
        activation=c.text("hidden_activation") or "gelu_pytorch_tanh",
        bias=True,
        output_bias=True,
    )
    feed = Sublayer(name="feed_forward", mixers=[forward], norm=norm)
    blocks = two_step(kinds(c, layers), mixing, {DENSE: LayerSet.first(layers)}, lambda _: feed)
    return causal_model(
        c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm), multiplier=hidden**0.5, softcap=c.number("logits_soft_cap")
    )


def kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Which layers recur and which attend. Raises Refused XF114 where the class repeats the pattern too seldom to fill the depth."""
    pattern = c.list("block_types") or []
    if layers > REPEATS * len(pattern):
        message = f"block_types names {len(pattern)} layers, which the class repeats {REPEATS} times: fewer than num_hidden_layers {layers}"
        raise c.refuse("block_types", message, code="XF114")
    return grouped(LINEAR if pattern[i % len(pattern)] == "recurrent" else SLIDING for i in range(layers))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a RecurrentGemma checkpoint."""
    return model(a, NAMES)
