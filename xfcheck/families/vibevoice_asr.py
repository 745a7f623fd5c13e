"""VibeVoice-ASR: Qwen2 that hears through two convolutional tokenizers (transformers 5.24, models/vibevoice_asr)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.mixers.mlp import MLP
from ._classes import class_table
from ._read.audio_language import audio_language, language_width, maps
from ._read.decoder import rms
from ._rows.audio_names import audio_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("vibevoice_asr",)

SIDES = ("acoustic", "semantic")

PARTS = {
    "mixing.norm": "norm",
    "mixing.scale": "gamma!",
    "mixing.depth": "mixer.conv",
    "feed_forward.norm": "ffn_norm",
    "feed_forward.scale": "ffn_gamma!",
    "mlp.up": "ffn.linear1",
    "mlp.down": "ffn.linear2",
    **{f"{side}_end": f"{side}_tokenizer_encoder.head.conv" for side in SIDES},
    **{f"{side}_{part}": f"multi_modal_projector.{side}_{part}" for side in SIDES for part in ("linear_1", "norm", "linear_2")},
}

WHOLE = ("acoustic_tokenizer_encoder", "semantic_tokenizer_encoder", "multi_modal_projector")


def architecture(c: Settings) -> Architecture:
    """Two towers of the same kind, each with a projector of two maps and a norm; the language model with a head of its own."""
    wide, stages, projector = language_width(c), [], []
    for side in SIDES:
        key = f"{side}_tokenizer_encoder_config"
        tower = c.nested(key, class_table("vibevoice_acoustic_tokenizer_encoder"))
        preset = {} if c.table is None else c.table.sub_defaults.get(key, {})
        if c.mapping(key) is None and preset:
            tower = type(c)(preset, tower.table, pointer=c.at(key), reading=c.reading)
        stages += encoder(tower, side)
        last, latent = stages[-1].hidden_size, tower.int("hidden_size")
        projector += [
            Projection(name=f"{side}_end", shape=[latent, last, tower.int("kernel_size")], bias=True, stream="audio", component="audio"),
            *maps([(f"{side}_linear_1", wide, latent), (f"{side}_linear_2", wide, wide)]),
            Projection(name=f"{side}_norm", shape=[wide], multiplies=False, stream="audio", component="projector"),
        ]
    return audio_language(c, stages[0], projector, tied=False, naming="split", more=stages[1:])


def encoder(c: Settings, side: str) -> list[Stack]:
    """A stem and one stage a downsampling ratio, each twice as wide. Raises Refused XF114 where depths and ratios do not go together."""
    ratios, depths, channels = c.list("downsampling_ratios") or [], c.list("depths") or [], c.int("channels")
    if len(depths) < len(ratios) + 1:
        raise c.refuse("depths", f"depths has {len(depths)} entries for {len(ratios)} downsampling_ratios and the stem", code="XF114")
    kernels = [c.int("kernel_size"), *(2 * ratio for ratio in ratios)]
    out = []
    for stage, kernel in enumerate(kernels):
        width = c.int("num_filters") * 2**stage
        down = Projection(name="down", shape=[width, channels, kernel], bias=True)
        layers = LayerSet.first(min(depths[stage], LIMIT))
        out.append(
            Stack(
                name=f"{side}{stage}",
                stream="audio",
                hidden_size=width,
                blocks=[Block(name="stage", layers=layers, sublayers=steps(c, width))],
                projections=[down],
                component="audio",
            )
        )
        channels = width
    return out


def steps(c: Settings, width: int) -> list[Sublayer]:
    """A depthwise convolution and a feed-forward network, each behind a norm and scaled."""
    norm, inner = rms(c), width * c.int("ffn_expansion")
    forward = MLP(intermediate_size=inner, activation=c.text("hidden_act") or "gelu", gated=False, bias=True, output_bias=True)
    depth = Projection(name="depth", shape=[width, 1, c.int("kernel_size")], bias=True)
    return [
        Sublayer(name="mixing", mixers=[], norm=norm, layer_scale=True, projections=[depth]),
        Sublayer(name="feed_forward", mixers=[forward], norm=norm, layer_scale=True),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a VibeVoice-ASR checkpoint."""
    parts = dict(PARTS)
    for stack in a.stacks:
        if stack.stream == "audio" and stack.name is not None:
            side, stage = stack.name[: len(SIDES[0])], int(stack.name[len(SIDES[0]) :])
            place = f"{side}_tokenizer_encoder.{f'conv_layers.{stage - 1}' if stage else 'stem'}"
            parts |= {f"{stack.name}:layer": f"{place}.stage.{{layer}}.", f"{stack.name}:down": f"{place}.conv.conv"}
    return audio_rows(a, parts, WHOLE)
