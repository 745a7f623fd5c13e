"""Softmax attention of flash-linear-attention's layers (fla/layers) and what its variants have beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...architecture.blocks import Projection
from ...architecture.masks import CAUSAL, Mask
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.latent_attention import LatentAttention
from ...architecture.norm import Norm
from .decoder import QKV, quotient
from .rotary import rotary

if TYPE_CHECKING:
    from collections.abc import Callable

    from .settings import Settings

PATH_RANK = 32
NSA_BRANCHES = 3


def soft_attention(c: Settings, hidden: int, heads: int, groups: int, window: int | None, *, bias: bool, normed: bool = False) -> Attention:
    """Softmax attention as its layers are built, of one layer or of a whole Transformer."""
    width = quotient(c, hidden, heads)
    norm = Norm(eps=c.number("norm_eps")) if normed else None
    return Attention(
        query_heads=heads,
        kv_heads=groups,
        head_dim=width,
        biases=QKV if bias else [],
        query_norm=norm,
        key_norm=norm,
        mask=CAUSAL if window is None else Mask(kind="sliding", window=window),
        position=rotary(c, width),
    )


def plain(c: Settings, hidden: int, heads: int, groups: int) -> Attention:
    """A layer's attention under the type's own switches."""
    return soft_attention(
        c, hidden, heads, groups, c.optional_int("window_size", minimum=1), bias=c.flag("qkv_bias"), normed=c.flag("qk_norm")
    )


def beside(name: str, rows: int, columns: int, *, bias: bool = False) -> Projection:
    """A matrix that makes gates or decays."""
    return Projection(name=name, shape=[rows, columns], bias=bias, component="attention")


def forgetting(c: Settings, hidden: int, heads: int, groups: int) -> tuple[Attention, list[Projection]]:
    """Forgetting Transformer (arXiv 2503.02130): a forget gate a head; norms of the whole width, no positions."""
    made = plain(c, hidden, heads, groups)
    width = made.head_dim
    changes: dict[str, Any] = {"position": None, "gate": "elementwise" if c.flag("use_output_gate") else "none"}
    if made.query_norm is not None:
        changes |= {"query_norm": Norm(size=heads * width), "key_norm": Norm(size=groups * width)}
    return made.model_copy(update=changes), [beside("forget", heads, hidden, bias=True)]


def stick_breaking(c: Settings, hidden: int, heads: int, groups: int) -> tuple[Attention, list[Projection]]:
    """Stick-breaking attention (arXiv 2410.17980): no softmax and no positions, the same matrices."""
    return plain(c, hidden, heads, groups).model_copy(update={"position": None}), []


def blocks(c: Settings, hidden: int, heads: int, groups: int) -> tuple[Attention, list[Projection]]:
    """MoBA (arXiv 2502.13189): each query sees the blocks that its scores choose; counted is the whole square. A norm of each head."""
    made = plain(c, hidden, heads, groups)
    width = made.head_dim
    parts = [Projection(name="inner_norm", shape=[width], multiplies=False, component="norm")]
    if c.flag("use_output_gate"):
        parts += [beside("gate_a", width, hidden), beside("gate_b", hidden, width)]
    return made, parts


def latent(c: Settings, hidden: int, heads: int, groups: int) -> tuple[LatentAttention, list[Projection]]:
    """Multi-head latent attention (arXiv 2405.04434), its rotary key by a matrix of its own."""
    del hidden, groups
    nope, rope = c.int("qk_nope_head_dim"), c.int("qk_rope_head_dim")
    both = c.optional_int("qk_head_dim")
    if both not in (None, nope + rope):
        raise c.refuse("qk_head_dim", f"qk_head_dim is {both}, not {nope} + {rope}", code="XF102")
    window = c.optional_int("window_size", minimum=1)
    return LatentAttention(
        query_heads=heads, query_rank=c.optional_int("q_lora_rank", minimum=1), kv_rank=c.int("kv_lora_rank"), nope_dim=nope, rope_dim=rope,
        value_dim=c.int("v_head_dim"), rope_apart=True, mask=CAUSAL if window is None else Mask(kind="sliding", window=window),
        position=rotary(c, rope),
    ), []  # fmt: skip


def native_sparse(c: Settings, hidden: int, heads: int, groups: int) -> tuple[Attention, list[Projection]]:
    """Native sparse attention (arXiv 2502.11089): three branches under one gate each; counted is the whole square."""
    width = c.int("head_dim")
    made = Attention(
        query_heads=heads, kv_heads=groups, head_dim=width, biases=QKV if c.flag("qkv_bias") else [], mask=CAUSAL, position=rotary(c, width)
    )
    return made, [beside("branches", NSA_BRANCHES * heads, hidden)]


def delta(c: Settings, hidden: int, heads: int, groups: int) -> tuple[Attention, list[Projection]]:
    """DeltaFormer (arXiv 2505.19488): values corrected by earlier ones at a rate a head."""
    made = plain(c, hidden, heads, groups)
    return made.model_copy(update={"mask": CAUSAL}), [beside("rate", heads, hidden, bias=True)]


def path(c: Settings, hidden: int, heads: int, groups: int) -> tuple[Attention, list[Projection]]:
    """PaTH attention (arXiv 2505.16381): positions as products of Householder maps that the tokens give."""
    width = quotient(c, hidden, heads)
    wide = groups * width
    made = Attention(query_heads=heads, kv_heads=groups, head_dim=width, mask=CAUSAL)
    low = c.flag("use_low_rank_w")
    parts = [beside("map_a", PATH_RANK, hidden), beside("map_b", wide, PATH_RANK)] if low else [beside("map", wide, hidden)]
    if c.flag("use_w_shortconv"):
        parts.append(Projection(name="map_conv", shape=[wide, 1, 3], multiplies=False, component="attention"))
    parts.append(beside("rate", groups, hidden, bias=True))
    if c.flag("use_forget_gate"):
        parts.append(beside("forget_gate", heads, hidden, bias=True))
    return made, parts


SOFT: dict[str, Callable[[Settings, int, int, int], tuple[Attention | LatentAttention, list[Projection]]]] = {
    "mla": latent,
    "transformer": lambda c, hidden, heads, groups: (plain(c, hidden, heads, groups), []),
    "forgetting_transformer": forgetting,
    "stickbreaking_attn": stick_breaking,
    "moba": blocks,
    "nsa": native_sparse,
    "deltaformer": delta,
    "path_attn": path,
}
"""Model type -> attention and what stands beside it, of (settings, width, query heads, key-value heads)."""
