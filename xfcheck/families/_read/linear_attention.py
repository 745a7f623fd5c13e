"""The mixers of flash-linear-attention's layers (fla/layers of fla-org/flash-linear-attention)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...architecture.blocks import Projection
from ...architecture.masks import CAUSAL, Mask
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.linear_attention import LinearAttention
from ...architecture.norm import Norm
from .decoder import QKV, quotient
from .rotary import rotary
from .settings import Settings
from .state_space import expanded, mamba1

if TYPE_CHECKING:
    from ...architecture.part import Mixer

GATE_RANK = 16


def own_mixer(c: Settings, kind: str, hidden: int) -> tuple[Mixer, list[Projection]]:
    """The type's own mixer, and the maps of its decays and rates."""
    if kind == "samba":
        return mamba1(Settings({**c.data, "intermediate_size": expanded(c, "expand", hidden)}, c.table, reading=c.reading), hidden), []
    if kind == "hgrn2":
        ratio = c.optional_int("expand_ratio", minimum=1)
        heads = c.int("num_heads") if ratio is None else hidden // ratio
        if not heads or hidden // heads == 0:
            raise c.refuse("expand_ratio", f"no head is as wide as that: hidden_size is {hidden}", code="XF102")
        return _linear(c, heads, heads, ratio or hidden // heads, hidden // heads, gated_norm=Norm(size=hidden)), []
    heads = c.int("num_heads")
    groups = c.optional_int("num_kv_heads", minimum=1) or heads
    if kind == "transformer":
        window = c.optional_int("window_size", minimum=1)
        return soft_attention(c, hidden, heads, groups, window, bias=c.flag("qkv_bias"), normed=c.flag("qk_norm")), []
    if kind == "gated_deltanet":
        return _gated_delta(c, hidden, heads)
    wide = [int(hidden * (1 if kind == "gsa" else c.number(key, noted=True) or 1)) for key in ("expand_k", "expand_v")]
    if wide[0] % heads or wide[1] % heads:
        raise c.refuse("num_heads", f"{heads} heads do not divide keys of {wide[0]} and values of {wide[1]}", code="XF102")
    key, value = wide[0] // heads, wide[1] // heads
    norm = Norm(weight=c.flag("elementwise_affine", True))
    if kind == "gsa":
        slots = c.optional_int("num_slots", minimum=1) or key
        return _linear(c, heads, groups, key, value, gated_norm=norm.model_copy(update={"size": hidden}), slots=slots), [
            _map("forget", groups * slots, hidden)
        ]
    if kind == "delta_net":
        rate = [_map("rate", heads, hidden)] if c.flag("use_beta") else []
        return _linear(c, heads, heads, key, value, gated_norm=Norm(), gate=c.flag("use_gate"), delta=True), rate
    gate = c.flag("use_output_gate")
    forget = [_map("forget_a", GATE_RANK, hidden), _map("forget_b", groups * key, GATE_RANK, bias=True)] if kind == "gla" else []
    return _linear(c, heads, groups, key, value, gated_norm=norm, gate=gate), forget


def _gated_delta(c: Settings, hidden: int, heads: int) -> tuple[Mixer, list[Projection]]:
    key = c.int("head_dim")
    value, many = int(key * (c.number("expand_v", noted=True) or 2)), c.optional_int("num_v_heads", minimum=1) or heads
    beside = [_map("step", many, hidden), _map("rate", many, hidden), _vector("decay", many), _vector("dt_bias", many)]
    if many == heads:
        return _linear(c, heads, heads, key, value, gated_norm=Norm(), gate=c.flag("use_gate"), delta=True), beside
    # each query and key head serves several value heads: as many query as key heads, more of values
    from ...architecture.mixers.gated_delta import GatedDelta

    mixer = GatedDelta(key_heads=heads, value_heads=many, key_dim=key, value_dim=value, kernel=c.int("conv_size"), split_convolution=True)
    return mixer, []


def _linear(c: Settings, heads: int, groups: int, key: int, value: int, **more: Any) -> LinearAttention:
    kernel = c.int("conv_size") if c.flag("use_short_conv") else 0
    return LinearAttention(heads=heads, kv_heads=groups, key_dim=key, value_dim=value, kernel=kernel, **more)


def _map(name: str, rows: int, columns: int, *, bias: bool = False) -> Projection:
    return Projection(name=name, shape=[rows, columns], bias=bias, component="linear_attention")


def _vector(name: str, size: int) -> Projection:
    return Projection(name=name, shape=[size], multiplies=False, component="linear_attention")


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
