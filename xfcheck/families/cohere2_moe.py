"""Command A's mixture of experts: attention and experts behind one norm (parallel residual), sliding layers with rotary positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.moe import Router
from ._read.blocks import DENSE, decoder_stack, dense_first, feeds
from ._read.decoder import QKVO, attention, causal_model, gated, layer_norm, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, every, listed
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("cohere2_moe",)

NAMES = LLAMA.but({"decoder.norm": "input_layernorm"})


def architecture(c: Settings) -> Architecture:
    """A layer norm without bias, or an RMS norm where `rms_norm_eps` is given.

    The undeclared `first_k_dense_replace` sets the dense layers.
    """
    hidden, layers, width = c.int("hidden_size"), depth(c), head_width(c)
    norm = layer_norm(c, bias=False) if c.number("rms_norm_eps") is None else rms(c)
    window, position = c.optional_int("sliding_window"), rotary(c, width)
    biases = QKVO if c.flag("attention_bias") else []
    first, count = c.optional_int("first_k_dense_replace") or 0, c.int("num_shared_experts", minimum=0)
    forced = c.int("prefix_dense_sliding_window_pattern", minimum=0) == 1

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        turns = position if (kind == SLIDING and window is not None) or (feed == DENSE and forced) else None
        heads = attention(c, hidden, mask=mask_of(c, kind, window), width=width, position=turns, biases=biases)
        if feed == DENSE:
            given = c.optional_int("prefix_dense_intermediate_size", minimum=1)
            forward = gated(c, "intermediate_size" if given is None else "prefix_dense_intermediate_size")
            return [Sublayer(name="decoder", mixers=[heads, forward], norm=norm)]
        router = Router(scoring="sigmoid" if c.text("expert_selection_fn") == "sigmoid" else "softmax", normalise=c.flag("norm_topk_prob"))
        experts = routed(
            c, experts="num_experts", width="intermediate_size", router=router,
            shared=shared_experts(c, c.int("intermediate_size") * count) if count else None, shared_experts=count,
        )  # fmt: skip
        return [Sublayer(name="decoder", mixers=[heads, experts], norm=norm)]

    kinds = listed(c, layers) or patterned(c, first, layers)
    placed = crossed(kinds, feeds(c, layers, dense_first(first, layers)))
    return causal_model(c, decoder_stack(hidden, placed, sublayers, norm), head_multiplier=c.number("logit_scale") or 1.0)


def patterned(c: Settings, first: int, layers: int) -> dict[str, LayerSet]:
    """Every n-th layer full, with an n for the dense prefix and another one, counted anew, for the rest."""
    first = min(first, layers)
    head = every(first, c.int("prefix_dense_sliding_window_pattern"), FULL, SLIDING) if first else {}
    tail = every(layers - first, c.int("sliding_window_pattern"), FULL, SLIDING)
    moved = {kind: LayerSet(range(r.start + first, r.stop + first, r.step) for r in held.ranges) for kind, held in tail.items()}
    both = {kind: LayerSet.union([*(part[kind] for part in (head, moved) if kind in part)]) for kind in (*head, *moved)}
    return {kind: held for kind, held in both.items() if len(held)}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Command A checkpoint."""
    return model(a, NAMES)
