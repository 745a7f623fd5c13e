"""GOT-OCR 2.0 (arXiv 2409.01704): Segment Anything's image tower with windows, convolutions behind it, a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.model import Architecture, Member
from ..architecture.vocabulary import Head
from ._classes import class_table
from ._read.audio_language import JOINED, SPLIT
from ._read.decoder import QKVO, dtype, layer_norm, quotient
from ._read.head import head_kind
from ._read.members import inner, read
from ._read.plain import plain, sequential
from ._rows.members import member_rows
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.decoder import Biased
    from ._read.settings import Settings

MODEL_TYPES = ("got_ocr2",)

LAYER = {
    "attention.norm": "layer_norm1",
    "attention.qkv": "attn.qkv",
    "attention.output": "attn.proj",
    "attention.rows": "attn.rel_pos_h!",
    "attention.columns": "attn.rel_pos_w!",
    "feed_forward.norm": "layer_norm2",
    "mlp.up": "mlp.lin1",
    "mlp.down": "mlp.lin2",
}
WHOLE = {
    "layer": "vision_tower.layers.{layer}.",
    "positions": "vision_tower.pos_embed!",
    "patches": "vision_tower.patch_embed.projection",
    "narrowing": "vision_tower.neck.conv1",
    "narrow_norm": "vision_tower.neck.layer_norm1",
    "smoothing": "vision_tower.neck.conv2",
    "smooth_norm": "vision_tower.neck.layer_norm2",
    "halving_1": "multi_modal_projector.conv_upsampler1",
    "halving_2": "multi_modal_projector.conv_upsampler2",
    "image_map": "multi_modal_projector.multimodal_projector",
}
NAMES = Names({**LAYER, **WHOLE}, {key: f"model.{name}" for key, name in WHOLE.items()}, base_prefix="")


def architecture(c: Settings) -> Architecture:
    """The tower does no work without images; the whole config's tie flag decides about the head."""
    kind = head_kind(c, "seq2seq")
    if kind != "seq2seq":
        c.assume("architectures", c.raw("architectures", noted=False), "counted with the language model's head", estimated=True)
    settings, model_type = inner(c, "text_config", "qwen2", "causal", needed=False)
    text = read(settings, model_type)
    text = text.model_copy(update={"head": text.head.model_copy(update={"tied": c.flag("tie_word_embeddings")})})
    vision = c.nested("vision_config", class_table("got_ocr2_vision"))
    narrow, hidden = vision.int("output_channels"), text.main.hidden_size
    return Architecture(
        embedding=text.embedding,
        stacks=[*text.stacks, tower(vision)],
        head=text.head,
        maximum_positions=text.maximum_positions,
        dtype=dtype(c) or text.dtype,
        projections=[
            Projection(name="halving_1", shape=[2 * narrow, narrow, 3, 3], stream="image", component="projector"),
            Projection(name="halving_2", shape=[hidden, 2 * narrow, 3, 3], stream="image", component="projector"),
            Projection(name="image_map", shape=[hidden, hidden], bias=True, stream="image", component="projector"),
        ],
        quantization=c.mapping("quantization_config"),
        members=[Member(model_type=model_type, checkpoint=SPLIT, module=JOINED, architecture=text)],
    )


def tower(c: Settings) -> Stack:
    """Pre-norm layers over a square of patches, some with attention over all of it, the others inside windows; convolutions after them."""
    hidden, norm, narrow = c.int("hidden_size"), layer_norm(c), c.int("output_channels")
    patch, channels = c.int("patch_size"), c.int("num_channels")
    side, window = c.int("image_size") // patch, c.int("window_size", minimum=0)
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    wanted = c.list("global_attn_indexes") or []
    whole = LayerSet.of(i for i in layers if i in wanted)
    blocks = []
    for name, held, seen in (("windows", LayerSet.of(i for i in layers if i not in wanted), window or side), ("whole", whole, side)):
        own = attention(c, hidden)
        forward = plain(c.int("mlp_dim", minimum=0), c.text("hidden_act") or "gelu")
        steps = sequential(own, forward, norm)
        if c.flag("use_rel_pos"):
            steps[0] = steps[0].model_copy(update={"projections": distances(own.head_dim, seen)})
        blocks.append(Block(name=name, layers=held, sublayers=steps))
    positions = [Projection(name="positions", shape=[1, side, side, hidden], multiplies=False)] if c.flag("use_abs_pos") else []
    return Stack(
        stream="image",
        hidden_size=hidden,
        blocks=[block for block in blocks if len(block.layers)],
        component="vision",
        projections=[
            *positions,
            Projection(name="patches", shape=[hidden, channels, patch, patch], bias=True),
            Projection(name="narrowing", shape=[narrow, hidden, 1, 1]),
            Projection(name="narrow_norm", shape=[narrow], multiplies=False, bias=True),
            Projection(name="smoothing", shape=[narrow, narrow, 3, 3]),
            Projection(name="smooth_norm", shape=[narrow], multiplies=False, bias=True),
        ],
    )


def attention(c: Settings, hidden: int) -> Attention:
    """Query, key and value as one matrix, with a bias or without; the output always has one."""
    heads = c.int("num_attention_heads")
    biases: list[Biased] = QKVO if c.flag("qkv_bias") else ["output"]
    width = quotient(c, hidden, heads)
    return Attention(query_heads=heads, kv_heads=heads, head_dim=width, packing="qkv", biases=biases, mask=BIDIRECTIONAL)


def distances(width: int, seen: int) -> list[Projection]:
    """A vector a distance, for rows and for columns, of the square of `seen` patches a side that a layer attends over."""
    return [Projection(name=name, shape=[2 * seen - 1, width], multiplies=False) for name in ("rows", "columns")]


def ledger(a: Architecture) -> list[Row]:
    """The language model's rows by its own family, and those of the tower and of what leads from it."""
    image = a.model_copy(
        update={
            "embedding": None,
            "head": Head(kind="none", stream="image"),
            "stacks": [stack for stack in a.stacks if stack.stream == "image"],
            "members": [],
        }
    )
    return [*member_rows(a), *model(image, NAMES)]
