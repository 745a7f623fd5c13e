"""The audio towers of Qwen2.5-Omni (Xu et al. 2025, arXiv 2503.20215) and Qwen3-Omni (arXiv 2509.17765): Whisper's layers, a map behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack
from ...architecture.layers import LIMIT, LayerSet
from .._read.decoder import QKVO
from .._read.encoder_decoder import NORM
from .._read.plain import plain, sequential
from .._rows.names import Names
from ._layers import alone, heads, linear, normed, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        **{name: name for name in ("conv1", "conv2", "conv2d1", "conv2d2", "conv2d3", "conv_out", "ln_post", "proj", "proj1", "proj2")},
        "ends": "audio_bos_eos_token",
        "layer": "layers.{layer}.",
        "attention.norm": "self_attn_layer_norm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "feed_forward.norm": "final_layer_norm",
        "mlp.up": "fc1",
        "mlp.down": "fc2",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """Qwen2.5-Omni: two convolutions over time, no bias on the keys. Qwen3-Omni: three over time and pitch."""
    third = c.table is not None and c.table.model_type == "qwen3_omni_moe_audio_encoder"
    wide, out, bins = c.int("d_model"), c.int("output_dim"), c.int("num_mel_bins")
    own = heads(c, wide, QKVO if third else ["query", "value", "output"], key="encoder_attention_heads")
    steps = sequential(own, plain(c.int("encoder_ffn_dim"), c.text("activation_function") or "gelu"), NORM)
    layers = LayerSet.first(c.int("encoder_layers", minimum=0, maximum=LIMIT))
    if third:
        narrow = c.int("downsample_hidden_size")
        for _ in range(3):
            bins = (bins + 1) // 2
        beside = [
            Projection(name=f"conv2d{n}", shape=[narrow, 1 if n == 1 else narrow, 3, 3], bias=True) for n in (1, 2, 3)
        ]  # fmt: skip
        beside += [linear("conv_out", wide, narrow * bins, bias=False), linear("proj1", wide, wide), linear("proj2", out, wide)]
    else:
        beside = [
            Projection(name="conv1", shape=[wide, bins, 3], bias=True),
            Projection(name="conv2", shape=[wide, wide, 3], bias=True),
            vector("ends", 2, out),
            linear("proj", out, wide),
        ]
    blocks = [Block(name="audio", layers=layers, sublayers=steps)]
    beside.append(normed("ln_post", wide))
    return alone(Stack(stream="audio", hidden_size=wide, blocks=blocks, component="audio", projections=beside))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
