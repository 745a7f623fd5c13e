"""Muse Glimmer's language model (Meta): a window on three layers of four, a gate on the values, norms before and after each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.norm import Norm
from ._read.blocks import decoder_stack
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import crossed, depth, grouped, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.gemma_names import GEMMA
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("muse_glimmer_text",)

TURNED, PLAIN = "turned", "plain"


def architecture(c: Settings) -> Architecture:
    """Norms of words, queries and keys have no weight. By class every fourth layer, counted from the last, sees all and is not turned."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    after = rms(c, "post_norm_eps")
    width, forward = head_dim(c, hidden, c.int("num_attention_heads")), gated(c, activation="hidden_activation")
    bare, biases = Norm(eps=norm.eps, size=width, weight=False), QKVO if c.flag("attention_bias") else []
    window, position = c.optional_int("sliding_window"), rotary(c, width)
    kinds = listed(c, layers, known=(FULL, SLIDING)) or grouped(FULL if (layers - 1 - i) % 4 == 0 else SLIDING for i in range(layers))

    def sublayers(kind: str, turning: str) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=mask_of(c, kind, window), position=position if turning == TURNED else None, biases=biases, width=width,
            query_norm=bare, key_norm=bare,
        ).model_copy(update={"gate": "elementwise"})  # fmt: skip
        return [
            Sublayer(name=name, mixers=[mixer], norm=norm, norm_after=after)
            for name, mixer in (("attention", heads), ("feed_forward", forward))
        ]

    stack = decoder_stack(hidden, crossed(kinds, turning(c, layers)), sublayers, norm)
    stack = stack.model_copy(update={"embedding_norm": bare.model_copy(update={"size": None})})
    multiplier = c.number("output_multiplier")
    return causal_model(
        c, stack, softcap=c.number("final_logit_softcapping"), head_multiplier=1.0 if multiplier is None else multiplier
    )  # fmt: skip


def turning(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Which layers have rotary positions: those whose entry in `layer_rope_theta` is not zero."""
    given = c.list("layer_rope_theta")
    if given is None:
        return grouped(PLAIN if (layers - 1 - i) % 4 == 0 else TURNED for i in range(layers))
    if len(given) < layers:
        raise c.refuse("layer_rope_theta", f"layer_rope_theta has {len(given)} entries for {layers} layers", code="XF114")
    return grouped(TURNED if theta else PLAIN for theta in given[:layers])


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model."""
    return model(a, GEMMA.but({"attention.gate": "self_attn.gate_proj"}))
