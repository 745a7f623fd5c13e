"""Command R7B and A (arXiv 2504.00698): Command R with a window on three of four layers and no positions on the fourth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..problems import Refused
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, layer_norm
from ._read.dense import by_kind, parallel
from ._read.layers import depth, every, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("cohere2", "cohere_compass_text")


def architecture(c: Settings) -> Architecture:
    """Every `sliding_window_pattern`-th layer sees everything where the file has no `layer_types`; all of them do in Compass."""
    hidden, norm, layers = c.int("hidden_size"), layer_norm(c, bias=False), depth(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    window, forward, compass = (
        c.optional_int("sliding_window"),
        gated(c),
        c.table is not None and c.table.model_type == "cohere_compass_text",
    )
    kinds = listed(c, layers, known=(FULL, SLIDING))
    if kinds is None:
        kinds = {FULL: LayerSet.first(layers)} if compass else every(layers, _period(c), FULL, SLIDING)
    if compass:
        _placed(c, kinds)
    turned = rotary(c, width, layout="interleaved")

    def layer(kind: str) -> list[Sublayer]:
        position = rotary(c, width, layer_type=kind) if compass else turned if kind == SLIDING else None
        return parallel(attention(c, hidden, mask=mask_of(c, kind, window), position=position, biases=biases, width=width), forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm), head_multiplier=c.number("logit_scale") or 1.0)


def _period(c: Settings) -> int:
    """Layers from one that sees everything to the next: 4 where the file does not say."""
    period = c.optional_int("sliding_window_pattern", minimum=1)
    return 4 if period is None else period


def _placed(c: Settings, kinds: dict[str, LayerSet]) -> None:
    """Raises Refused XF101 where Compass has no rotary block for a kind of its layers: its class builds from a nested block alone."""
    block = c.raw("rope_parameters", noted=False)
    missing = [kind for kind in kinds if not isinstance(block, dict) or kind not in block]
    if missing:
        raise Refused(
            f"needs the key 'rope_parameters' with {missing[0]!r}: the class gives none",
            code="XF101",
            pointer=c.at("rope_parameters"),
            help="one block a kind of layer",
        )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Command R7B checkpoint."""
    return model(a, LLAMA)
