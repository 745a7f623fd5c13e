"""Encoder-decoders of Gemma's layers: a norm before and after each sublayer, rotary positions, sliding layers beside full ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Stack, Sublayer
from ...architecture.masks import BIDIRECTIONAL, Mask
from ...architecture.mixers.cross_attention import CrossAttention
from .decoder import QKVO, attention, gated, head_dim, kv_heads, rms
from .dual_rotary import dual_rotary
from .layers import depth, every, listed
from .rotary import rotary
from .windows import FULL, SLIDING, mask_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...architecture.layers import LayerSet
    from ...architecture.mixers.attention import Attention
    from ...architecture.norm import Norm
    from ...architecture.part import Part
    from .settings import Settings

    Mixing = Callable[[Mask, Part | None], Attention]


def gemma_stack(c: Settings, stream: str, mixing: Mixing, *, period: int, cross: CrossAttention | None = None) -> Stack:
    """A stack of such layers; without `layer_types` each `period`-th is full. `cross` is the decoder's second sublayer, if it has one."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, period, FULL, SLIDING)
    window = c.optional_int("sliding_window")
    blocks = [
        block(c, stream, kind, held, mixing(mask(c, stream, kind, window), positions(c, kind)), norm, cross) for kind, held in kinds.items()
    ]
    return Stack(stream=stream, hidden_size=hidden, blocks=blocks, final_norm=norm)


def block(c: Settings, stream: str, kind: str, held: LayerSet, own: Attention, norm: Norm, cross: CrossAttention | None) -> Block:
    """The layers of one kind."""
    steps = [Sublayer(name="attention", mixers=[own], norm=norm, norm_after=norm)]
    if cross is not None:
        steps.append(Sublayer(name="cross_attention", mixers=[cross], norm=norm, norm_after=norm))
    steps.append(Sublayer(name="feed_forward", mixers=[gated(c, activation="hidden_activation")], norm=norm, norm_after=norm))
    return Block(name=f"{stream}_{kind}", layers=held, sublayers=steps)


def mask(c: Settings, stream: str, kind: str, window: int | None) -> Mask:
    """Causal in the decoder; in the encoder all tokens, or those at most a window away to either side."""
    seen = mask_of(c, kind, window)
    if stream == "decoder":
        return seen
    return Mask(kind="local", window=window) if kind == SLIDING else BIDIRECTIONAL


def positions(c: Settings, kind: str) -> Part | None:
    """The rotary positions of a kind of layer."""
    width = head_dim(c, c.int("hidden_size"), c.int("num_attention_heads"))
    rope = c.raw("rope_parameters", noted=False)
    per_kind = c.table is not None and isinstance(c.table.default_theta, dict)
    if per_kind or (isinstance(rope, dict) and isinstance(rope.get(kind), dict)):
        return dual_rotary(c, width, kind, keys={FULL: "rope_theta", SLIDING: "rope_local_base_freq"})
    return rotary(c, width)


def own_attention(c: Settings, seen: Mask, position: Part | None, *, head_norm: Norm | None = None) -> Attention:
    """Self-attention with Gemma's scale and the cap on the scores."""
    hidden = c.int("hidden_size")
    scalar = c.number("query_pre_attn_scalar")
    return attention(
        c, hidden, mask=seen, position=position, biases=QKVO if c.flag("attention_bias") else [], query_norm=head_norm, key_norm=head_norm,
        scale=None if scalar is None or scalar <= 0 else scalar**-0.5, softcap=c.number("attn_logit_softcapping"),
    )  # fmt: skip


def cross_attention(c: Settings, memory_size: int) -> CrossAttention:
    """Attention to the encoder's vectors, of their own width."""
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    scalar = c.number("query_pre_attn_scalar")
    return CrossAttention(
        query_heads=heads, kv_heads=kv_heads(c, heads), head_dim=head_dim(c, hidden, heads),
        biases=QKVO if c.flag("attention_bias") else [],
        scale=None if scalar is None or scalar <= 0 else scalar**-0.5, softcap=c.number("attn_logit_softcapping"), memory_size=memory_size,
    )  # fmt: skip
