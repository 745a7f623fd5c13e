"""UltraBERT: Llama's layers without the causal mask, most of them with a window to either side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.masks import BIDIRECTIONAL, Mask
from ._read.decoder import QKVO, attention, gated, head_dim, rms
from ._read.encoder import Tasks, encoder_head, encoder_model
from ._read.layers import depth, every, grouped, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("ultrabert",)

NAMES = LLAMA.but(
    {
        "embedding": "ultrabert.embed_tokens",
        "layer": "ultrabert.layers.{layer}.",
        "final_norm": "ultrabert.norm",
        "head": "cls",
        "head_in": "head.linear1",
        "head_out": "head.linear2",
        "classifier": "classifier",
        "question_answering:classifier": "qa_outputs",
    },
    {"embedding": "model.embed_tokens", "layer": "model.layers.{layer}.", "final_norm": "model.norm", "head": "head.decoder"},
    base_prefix="ultrabert.",
)._replace(
    module_prefix="model.",
)
TASKS = Tasks(pooled=(), transform=False)


def architecture(c: Settings) -> Architecture:
    """Two layers of three slide; the scores come after two narrow maps of `prediction_head_size`."""
    stack = encoder(c)
    head = encoder_head(c, TASKS, c.int("vocab_size"))
    pieces = []
    if head.rows:
        head = head.model_copy(update={"bias": False, "tied": c.flag("tie_word_embeddings")})
        pieces = scores(stack.hidden_size, c.int("prediction_head_size"))
    return encoder_model(c, stack, TASKS, types=0, projections=pieces, head=head)


def scores(hidden: int, width: int) -> list[Projection]:
    """The two maps before the scores of the vocabulary."""
    return [
        Projection(name="head_in", shape=[width, hidden], component="head"),
        Projection(name="head_out", shape=[hidden, width], component="head"),
    ]


def encoder(c: Settings) -> Stack:
    """The layers, which a model of words and images shares."""
    hidden, heads, norm, bias = c.int("hidden_size"), c.int("num_attention_heads"), rms(c), c.flag("mlp_bias")
    width, biases = head_dim(c, hidden, heads), QKVO if c.flag("attention_bias") else []
    layers, window = _layers(c)
    blocks = []
    for kind, held in layers.items():
        mask = Mask(kind="local", window=window) if kind == SLIDING else BIDIRECTIONAL
        mixer = attention(c, hidden, mask=mask, position=rotary(c, width, layer_type=kind), biases=biases, width=width)
        steps = [
            Sublayer(name="attention", mixers=[mixer], norm=norm),
            Sublayer(name="feed_forward", mixers=[gated(c, bias=bias)], norm=norm),
        ]
        blocks.append(Block(name=kind, layers=held, sublayers=steps))
    return Stack(hidden_size=hidden, blocks=blocks, final_norm=norm)


def _layers(c: Settings) -> tuple[dict[str, LayerSet], int | None]:
    """Kind -> layers, and the window: from `layer_types`, else from an undeclared `attention_windows`, else by threes."""
    layers, window = depth(c), c.optional_int("sliding_window")
    given = c.data.get("attention_windows")
    kinds = listed(c, layers, known=(FULL, SLIDING))
    if isinstance(given, list):
        window = next((w for w in given if isinstance(w, int) and w), window)
        if kinds is None:
            if len(given) != layers:
                raise c.refuse("attention_windows", f"attention_windows has {len(given)} entries for {layers} layers", code="XF114")
            kinds = grouped(SLIDING if w else FULL for w in given)
    return kinds or every(layers, 3, FULL, SLIDING), window


def ledger(a: Architecture) -> list[Row]:
    """The rows of an UltraBERT checkpoint."""
    return model(a, NAMES)
