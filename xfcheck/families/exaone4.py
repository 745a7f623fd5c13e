"""EXAONE 4 (arXiv 2507.11407): norms after each step alone, head norms, windows on some layers and no positions on the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ..problems import Refused
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.dense import by_kind, post_norm
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

MODEL_TYPES = ("exaone4",)

NAMES = LLAMA.but({"attention.norm_after": "post_attention_layernorm", "feed_forward.norm_after": "post_feedforward_layernorm"})


def architecture(c: Settings) -> Architecture:
    """Each `sliding_window_pattern`-th layer sees everything, without rotary positions where other layers have a window."""
    hidden, norm, heads, layers = c.int("hidden_size"), rms(c), c.int("num_attention_heads"), depth(c)
    width, window = head_dim(c, hidden, heads), c.optional_int("sliding_window")
    head_norm, forward, turned = Norm(eps=norm.eps, size=width), gated(c), rotary(c, width)
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, _period(c, window), FULL, SLIDING)

    def layer(kind: str) -> list[Sublayer]:
        position = turned if window is None or kind == SLIDING else None
        mixer = attention(
            c, hidden, mask=mask_of(c, kind, window), position=position, width=width, query_norm=head_norm, key_norm=head_norm
        )
        return post_norm(mixer, forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm))


def _period(c: Settings, window: int | None) -> int:
    """Layers from one without a window to the next. Raises Refused XF101 where the class divides by zero: no window, no list."""
    if window is None:
        raise Refused(
            "needs the key 'layer_types': without a window the class finds no pattern",
            code="XF101",
            pointer=c.at("layer_types"),
            help="a list, or sliding_window",
        )
    return c.int("sliding_window_pattern")


def ledger(a: Architecture) -> list[Row]:
    """The rows of an EXAONE 4 checkpoint."""
    return model(a, NAMES)
