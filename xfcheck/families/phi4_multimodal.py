"""Phi-4-multimodal (arXiv 2503.01743): SigLIP for images, a Conformer for sound, maps into a language model of Phi-3's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._classes import class_table
from ._read.decoder import QKVO, head_dim
from ._read.head import head_kind
from ._read.siglip_tower import pooling, siglip_names, siglip_tower
from ._rows.model import model
from .phi3 import NAMES as TEXT
from .phi3 import architecture as text_architecture

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("phi4_multimodal",)

NORM = Norm(kind="layer", bias=True)
IMAGE = "model.embed_tokens_extend.image_embed."
AUDIO = "model.embed_tokens_extend.audio_embed."
MAPS = ("up_proj_for_speech", "down_proj_for_speech", "up_proj_for_vision_speech", "down_proj_for_vision_speech")

NAMES = TEXT.but(
    {
        **siglip_names(f"{IMAGE}img_processor."),
        "image_whole": f"{IMAGE}global_img_feature_extensor!",
        "image_part": f"{IMAGE}sub_img_feature_extensor!",
        "image_up": f"{IMAGE}img_projection_up",
        "image_down": f"{IMAGE}img_projection_down",
        "audio:layer": f"{AUDIO}encoder.encoders.{{layer}}.",
        "input_mean": f"{AUDIO}encoder.encoder_embedding.global_mean!",
        "input_scale": f"{AUDIO}encoder.encoder_embedding.global_invstd!",
        "subsampling_first": f"{AUDIO}encoder.embed.conv.0",
        "subsampling_depth": f"{AUDIO}encoder.embed.conv.{{number}}",
        "subsampling_point": f"{AUDIO}encoder.embed.conv.{{number}}",
        "subsampling_bias": f"{AUDIO}encoder.embed.conv.{{number}}.bias!",
        "subsampling_out": f"{AUDIO}encoder.embed.out",
        "distances": f"{AUDIO}encoder.relative_attention_bias_layer.bias_values",
        **{
            f"audio:{key}.{part}": f"{place}.{name}"
            for key, place in (("ff_in", "feed_forward_in"), ("ff_out", "feed_forward_out"))
            for part, name in (("norm", "layer_norm"), ("gate_up", "gate_up_proj"), ("down", "down_proj"))
        },
        "audio:attention.norm": "layer_norm_att",
        "audio:attention.output": "self_attn.o_proj",
        "audio:convolution.norm": "conv.layer_norm",
        "audio:convolution.gate_first": "conv.glu.b1!",
        "audio:convolution.gate_second": "conv.glu.b2!",
        "audio:convolution.gate": "conv.glu.ext_pw_conv_1d",
        "audio:convolution.depth": "conv.dw_sep_conv_1d.dw_conv",
        "audio:convolution.point": "conv.dw_sep_conv_1d.pw_conv",
        "audio:convolution.out": "conv.ext_pw_conv_1d",
        "audio:ff_out.norm_residual": "layer_norm",
        **{name: AUDIO + name for name in MAPS},
    }
)


def architecture(c: Settings) -> Architecture:
    """The towers and the maps behind them do no work without images and sound."""
    kind = head_kind(c)
    if kind not in ("causal", "none"):
        c.assume("architectures", kind, "only the class with a language-model head is compared", estimated=True)
    made = text_architecture(c)
    hidden, vision = made.main.hidden_size, c.nested("vision_config", class_table("phi4_multimodal_vision"))
    tower = siglip_tower(vision)
    pooled = pooling(tower.hidden_size, vision.int("intermediate_size"))
    tower = tower.model_copy(update={"projections": [*tower.projections, *pooled]})
    audio = c.nested("audio_config", class_table("phi4_multimodal_audio"))
    sound = conformer(audio)
    wide = sound.hidden_size * audio.int("downsample_rate")
    between = [
        *projected("image", {"image_up": tower.hidden_size, "image_down": hidden}, hidden),
        *(Projection(name=name, shape=[*ones, tower.hidden_size], multiplies=False, component="projector") for name, ones in SEPARATORS),
        *projected("audio", {name: wide if name.startswith("up") else hidden for name in MAPS}, hidden),
    ]
    return made.model_copy(update={"stacks": [*made.stacks, tower, sound], "projections": between})


SEPARATORS = (("image_whole", [1, 1]), ("image_part", [1, 1, 1]))
"""Trained vectors between the whole image and its parts, and at the ends of rows."""


def projected(stream: str, widths: dict[str, int], hidden: int) -> list[Projection]:
    """Maps into the language model's width, each with a bias."""
    return [Projection(name=name, shape=[hidden, width], bias=True, stream=stream, component="projector") for name, width in widths.items()]


def conformer(c: Settings) -> Stack:
    """Half a feed-forward network, attention with a bias a distance, a convolution, the other half, a norm, behind subsampling.

    A head is hidden / heads wide, rounded down.
    """
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    width = c.optional_int("head_dim", minimum=1) or hidden // heads or head_dim(c, hidden, heads)
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, biases=QKVO, mask=BIDIRECTIONAL)
    steps = [
        half(c, "ff_in"),
        Sublayer(name="attention", mixers=[own], norm=NORM),
        Sublayer(name="convolution", mixers=[], norm=NORM, projections=convolution(c, hidden)),
        half(c, "ff_out").model_copy(update={"norm_residual": NORM}),
    ]
    buckets = c.int("bias_max_distance") * (1 if c.flag("bias_symmetric") else 2)
    return Stack(
        stream="audio",
        hidden_size=hidden,
        blocks=[Block(name="conformer", layers=LayerSet.first(c.int("num_blocks", minimum=0, maximum=LIMIT)), sublayers=steps)],
        component="audio",
        projections=[*subsampling(c, hidden), Projection(name="distances", shape=[buckets, heads], multiplies=False)],
    )


def half(c: Settings, name: str) -> Sublayer:
    """One of the two feed-forward networks of a layer, gate and up as one matrix."""
    inner, activation = c.int("intermediate_size"), c.text("activation") or "swish"
    forward = MLP(name=name, intermediate_size=inner, activation=activation, packing="gate_up", bias=True, output_bias=True)
    return Sublayer(name=name, mixers=[forward], norm=NORM, multiplier=0.5)


def convolution(c: Settings, hidden: int) -> list[Projection]:
    """A gated map with biases of its own, a depthwise convolution and the map behind it, a map out."""
    out, deep = c.int("ext_pw_out_channel"), hidden * c.int("depthwise_multiplier")
    return [
        Projection(name="gate_first", shape=[1, out, 1], multiplies=False),
        Projection(name="gate_second", shape=[1, out, 1], multiplies=False),
        Projection(name="gate", shape=[2 * out, hidden, 1], bias=True),
        Projection(name="depth", shape=[deep, 1, c.int("kernel_size")], bias=True),
        Projection(name="point", shape=[c.int("depthwise_separable_out_channel"), deep, 1], bias=True),
        Projection(name="out", shape=[out, hidden, 1], bias=True),
    ]


def subsampling(c: Settings, hidden: int) -> list[Projection]:
    """Convolutions that halve time and frequency log2(`time_reduction`) times, and a map from what is left of the frequencies.

    `nemo_final_size`, which saved configs carry, wins over the derived count of them.
    Raises Refused XF113 where the reduction is odd, which the reference refuses as well.
    """
    reduction, bins, channels = c.int("time_reduction"), c.int("input_size"), c.int("nemo_conv_channels")
    if reduction % 2:
        raise c.refuse("time_reduction", "is no multiple of 2")
    halvings, left = reduction.bit_length() - 1, bins
    for _ in range(halvings):
        left = (left + 1) // 2
    saved = c.optional_int("nemo_final_size")
    left = left if saved is None else saved
    # Each further step is two convolutions and an activation in one numbered list.
    depth = LayerSet.of(range(2, 3 * halvings - 1, 3))
    point = LayerSet.of(range(3, 3 * halvings, 3))
    further = [
        Projection(name="subsampling_depth", shape=[channels, 1, 3, 3], numbers=depth),
        Projection(name="subsampling_point", shape=[channels, channels, 1, 1], numbers=point),
        Projection(name="subsampling_bias", shape=[channels], multiplies=False, numbers=LayerSet.union([depth, point])),
    ]
    return [
        Projection(name="input_mean", shape=[bins], multiplies=False, buffer=True),
        Projection(name="input_scale", shape=[bins], multiplies=False, buffer=True),
        Projection(name="subsampling_first", shape=[channels, 1, 3, 3], bias=True),
        *(further if halvings > 1 else []),
        Projection(name="subsampling_out", shape=[hidden, channels * left], bias=True),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Phi-4-multimodal checkpoint."""
    return model(a, NAMES)
