"""Gemma 3's language model (arXiv 2503.19786): five windowed layers for one that sees everything, head norms, two rotary bases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import BIDIRECTIONAL, Mask
from ..architecture.norm import Norm
from ._read.blocks import sandwiched
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import by_kind
from ._read.dual_rotary import dual_rotary
from ._read.layers import depth, every, listed
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gemma3_text",)

NAMES = LLAMA.but(
    {
        "attention.norm_after": "post_attention_layernorm",
        "feed_forward.norm": "pre_feedforward_layernorm",
        "feed_forward.norm_after": "post_feedforward_layernorm",
    }
)

BASES = {FULL: "rope_theta", SLIDING: "rope_local_base_freq"}
"""Kind of layer -> the key of its rotary base in files before transformers 5."""


def architecture(c: Settings) -> Architecture:
    """`use_bidirectional_attention` (embedding models) sees both sides, its window half as wide to each; a cache is kept."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKVO if c.flag("attention_bias") else []
    both, window = c.flag("use_bidirectional_attention"), c.optional_int("sliding_window")
    window = window // 2 + 1 if both and window is not None else window
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, _period(c), FULL, SLIDING)
    scalar, softcap = c.number("query_pre_attn_scalar"), c.number("attn_logit_softcapping")
    scale = None if scalar is None or scalar <= 0 else scalar**-0.5
    head_norm, forward = Norm(eps=norm.eps, size=width, unit_offset=True), gated(c, activation="hidden_activation")

    def layer(kind: str) -> list[Sublayer]:
        mask = mask_of(c, kind, window)
        mixer = attention(
            c, hidden, mask=_both_sides(mask) if both else mask, position=dual_rotary(c, width, kind, keys=BASES), biases=biases,
            width=width, scale=scale, softcap=softcap, query_norm=head_norm, key_norm=head_norm, kept_tokens=mask.window if both else None,
        )  # fmt: skip
        return sandwiched(mixer.model_copy(update={"cached": True}) if both else mixer, forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm), multiplier=hidden**0.5, softcap=c.number("final_logit_softcapping"))


def _period(c: Settings) -> int:
    """Layers from one that sees everything to the next, in either spelling: 6 where the file does not say."""
    period = c.optional_int("sliding_window_pattern", minimum=1)
    return 6 if period is None else period


def _both_sides(mask: Mask) -> Mask:
    """The same reach before and after a token; a window holds the token itself."""
    return BIDIRECTIONAL if mask.window is None else Mask(kind="local", window=mask.window - 1)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 3 text checkpoint."""
    return model(a, NAMES)
