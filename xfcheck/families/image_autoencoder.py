"""Masked autoencoders of images (He et al. 2021, arXiv 2111.06377) and of videos (Tong et al. 2022, arXiv 2203.12602)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.model import Architecture
from ..architecture.vocabulary import Head
from ._read.decoder import QKVO, dtype, head_dim, layer_norm, quotient
from ._read.encoder_decoder import NORM
from ._read.head import architecture_name, labels, named_kind
from ._read.plain import plain, sequential
from ._rows.model import model
from ._rows.names import Names
from ._towers._layers import normed, pair, patches, vector
from ._towers.vit import NAMES as VIT

if TYPE_CHECKING:
    from ..architecture.norm import Norm
    from ..ledger import Row
    from ._read.decoder import Biased
    from ._read.settings import Settings

MODEL_TYPES = ("vit_mae", "videomae")

PIXELS = {
    "class": "vit.embeddings.cls_token!",
    "positions": "vit.embeddings.position_embeddings!",
    "patches": "vit.embeddings.patch_embeddings.projection",
    "encoder:layer": "vit.encoder.layer.{layer}.",
    "encoder:final_norm": "vit.layernorm",
    "decoder:layer": "decoder.decoder_encoder.layer.{layer}.",
    "decoder:final_norm": "decoder.decoder_norm",
    "between": "decoder.decoder_embed",
    "mask": "decoder.mask_token!",
    "decoder_positions": "decoder.decoder_pos_embed!",
    "pixels": "decoder.decoder_pred",
}
INSIDE = {key: name for key, name in VIT.checkpoint.items() if key.partition(".")[0] in ("attention", "mlp", "feed_forward")}
IMAGES = Names(
    {**INSIDE, **PIXELS},
    {**VIT.module, "encoder:layer": "vit.layers.{layer}.", "decoder:layer": "decoder.decoder_layers.{layer}."},
    base_prefix="vit.",
)
VIDEOS = Names(
    {
        **INSIDE,
        "patches": "videomae.embeddings.patch_embeddings.projection",
        "encoder:layer": "videomae.encoder.layer.{layer}.",
        "encoder:final_norm": "videomae.layernorm",
        "decoder:layer": "decoder.decoder_layers.{layer}.",
        "decoder:final_norm": "decoder.norm",
        "attention.query_bias": "attention.attention.q_bias!",
        "attention.value_bias": "attention.attention.v_bias!",
        "between": "encoder_to_decoder",
        "mask": "mask_token!",
        "pixels": "decoder.head",
        "class_norm": "fc_norm",
        "classifier": "classifier",
    },
    {"attention.query_bias": "attention.attention.query.bias!", "attention.value_bias": "attention.attention.value.bias!"},
    base_prefix="videomae.",
)


def architecture(c: Settings) -> Architecture:
    """A deep encoder of what is left of the patches and a shallow decoder of all. The reference masks most: the encoder is counted whole.

    Images have a class vector and tables of positions, which are not trained; videos have sines that no file keeps.
    """
    video = c.table is not None and c.table.model_type == "videomae"
    kind = named_kind(c) or "pretraining"
    if named_kind(c) is None and architecture_name(c) is not None:
        c.assume("architectures", architecture_name(c), "no class of this type: counted as it is pretrained", estimated=True)
    wide, tokens, norm = c.int("hidden_size"), count(c, video=video), layer_norm(c)
    pools = video and c.flag("use_mean_pooling")
    beside = [patches(c, wide, bias=True, frames="tubelet_size" if video else None)]
    if not video:
        beside += [vector("class", 1, 1, wide), vector("positions", 1, tokens, wide)]
    stacks = [
        stack(c, "encoder", tokens, None if pools else norm, video=video).model_copy(update={"projections": beside}),
    ]
    if kind == "pretraining":
        stacks.append(stack(c, "decoder", tokens, NORM if video else norm, video=video))
    return Architecture(
        embedding=None,
        stacks=stacks,
        head=Head(kind="none" if kind == "base" else "other", stream="encoder"),
        projections=head(c, kind, tokens, video=video, pools=pools),
        dtype=dtype(c),
        naming="videos" if video else "images",
    )


def count(c: Settings, *, video: bool) -> int:
    """Patches of one image and its class vector, or patches of one video."""
    (high, broad), (tall, across) = pair(c, "image_size"), pair(c, "patch_size")
    area = (high // tall) * (broad // across)
    return area * (c.int("num_frames") // c.int("tubelet_size")) if video else area + 1


def stack(c: Settings, stream: str, tokens: int, last: Norm | None, *, video: bool) -> Stack:
    """One of the two, from the keys that begin with `decoder_` or with nothing; both of the encoder's stream, one image each."""
    front = "decoder_" if stream == "decoder" else ""
    wide, heads = c.int(f"{front}hidden_size"), c.int(f"{front}num_attention_heads")
    switch = c.flag("qv_bias" if video else "qkv_bias")
    biases: list[Biased] = ["output"] if video or not switch else QKVO
    own = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, wide, heads) if video else head_dim(c, wide, heads),
        biases=biases,
        mask=BIDIRECTIONAL,
    )
    steps = sequential(own, plain(c.int(f"{front}intermediate_size"), c.text("hidden_act") or "gelu"), layer_norm(c))
    if video and switch:
        apart = [Projection(name=f"{part}_bias", shape=[wide], multiplies=False, component="attention") for part in ("query", "value")]
        steps[0] = steps[0].model_copy(update={"projections": apart})
    layers = LayerSet.first(c.int(f"{front}num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(
        name=stream,
        stream="encoder",
        hidden_size=wide,
        blocks=[Block(name=stream, layers=layers, sublayers=steps)],
        fixed_length=tokens,
        final_norm=last,
    )


def head(c: Settings, kind: str, tokens: int, *, video: bool, pools: bool) -> list[Projection]:
    """What lies between the stacks and what makes pixels of vectors; or a classifier."""
    wide = c.int("hidden_size")
    if kind == "pretraining":
        narrow, side = c.int("decoder_hidden_size"), c.int("patch_size")
        pixels = side**2 * c.int("num_channels") * (c.int("tubelet_size") if video else 1)
        return [
            Projection(name="between", shape=[narrow, wide], bias=not video, stream="encoder", component="projector"),
            vector("mask", 1, 1, narrow),
            *([] if video else [vector("decoder_positions", 1, tokens, narrow)]),
            Projection(name="pixels", shape=[pixels, narrow], bias=True, stream="encoder", component="head"),
        ]
    if kind != "video_classification":
        return []
    classifier = Projection(name="classifier", shape=[labels(c), wide], bias=True, stream="pooled", component="head")
    return [*([normed("class_norm", wide)] if pools else []), classifier]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, VIDEOS if a.naming == "videos" else IMAGES)
