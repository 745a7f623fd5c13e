"""The recurrent mixers of flash-linear-attention's layers (fla/layers of fla-org/flash-linear-attention)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...architecture.blocks import Projection
from ...architecture.mixers.linear_attention import LinearAttention
from ...architecture.norm import Norm
from .fla_soft import SOFT
from .settings import Settings
from .state_space import expanded, mamba1

if TYPE_CHECKING:
    from ...architecture.part import Mixer

GATE_RANK = 16
MAPS = {"elementwise_product": 2, "relu": 0, "elu": 0, "identity": 0}
"""Feature map of queries and keys -> its square layers."""


def own_mixer(c: Settings, kind: str, hidden: int) -> tuple[Mixer, list[Projection]]:
    """The type's own mixer, and the maps of its decays and rates."""
    if kind == "samba":
        inner = expanded(c, "expand", hidden)
        made = mamba1(Settings({**c.data, "intermediate_size": inner, "use_conv_bias": True}, c.table, reading=c.reading), hidden)
        return made, []
    if kind == "hgrn":
        return _gated_recurrence(c, hidden)
    if kind in ("hgrn2", "lightnet"):
        return _by_ratio(c, kind, hidden)
    heads = c.int("num_heads")
    groups = c.optional_int("num_kv_heads", minimum=1) or heads
    if kind in SOFT:
        return SOFT[kind](c, hidden, heads, groups)
    if kind == "raven":
        return _raven(c, hidden, heads, groups)
    if kind in DELTAS:
        return DELTAS[kind](c, hidden, heads)
    return _expanded(c, kind, hidden, heads, groups)


def _expanded(c: Settings, kind: str, hidden: int, heads: int, groups: int) -> tuple[Mixer, list[Projection]]:
    """Keys and values as multiples of the width, shared out over the heads."""
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
    if kind == "abc":
        slots = c.optional_int("num_slots", minimum=1) or key
        return _linear(c, heads, heads, key, value, gated_norm=norm, gate=True, slots=slots), [_map("slots", heads * slots, hidden)]
    if kind == "delta_net":
        rate = [_map("rate", heads, hidden)] if c.flag("use_beta") else []
        return _linear(c, heads, heads, key, value, gated_norm=Norm(), gate=c.flag("use_gate"), delta=True), rate
    if kind == "linear_attn":
        return _linear(c, heads, groups, key, value, gated_norm=norm), _features(c, key, heads)
    gate = c.flag("use_output_gate")
    forget = [_map("forget_a", GATE_RANK, hidden), _map("forget_b", groups * key, GATE_RANK, bias=True)] if kind == "gla" else []
    return _linear(c, heads, groups, key, value, gated_norm=norm, gate=gate), forget


def _raven(c: Settings, hidden: int, heads: int, groups: int) -> tuple[Mixer, list[Projection]]:
    """Raven: a router chooses which slots a token writes; decays a head (`Mamba2`) or a slot (`GLA`)."""
    wide = [round(hidden * (c.number(key, noted=True) or 1)) for key in ("expand_k", "expand_v")]
    if wide[0] % heads or wide[1] % heads:
        raise c.refuse("num_heads", f"{heads} heads do not divide keys of {wide[0]} and values of {wide[1]}", code="XF102")
    key, value = wide[0] // heads, wide[1] // heads
    slots, gate, weights = c.optional_int("num_slots", minimum=1) or key, c.flag("use_output_gate"), c.flag("elementwise_affine", True)
    norm = Norm(weight=weights) if gate else Norm(weight=weights, size=wide[1])
    made = _linear(c, heads, groups, key, value, gated_norm=norm, gate=gate, slots=slots)
    parts = (
        [_map("step", groups, hidden), *_decays(groups)] if c.text("decay_type") == "Mamba2" else [_map("forget", groups * slots, hidden)]
    )
    if c.text("router_type") == "lin":
        parts.append(_map("router", groups * slots, hidden))
    else:
        parts += [_map("router_a", hidden, hidden, bias=True), _map("router_b", groups * slots, hidden)]
    if c.flag("bias_rmm"):
        parts.append(Projection(name="router_bias", shape=[groups, slots], multiplies=False, component="linear_attention"))
    if weights:
        parts += [_vector(f"{side}_norm", key) for side in ("query", "key")]
    if c.text("feature_map") == "t2r":
        parts.append(_map("feature", key, key, uses=heads))
    return made, parts


def _features(c: Settings, width: int, heads: int) -> list[Projection]:
    """The trained feature maps of a head's queries and keys, one for all heads."""
    named = c.text("feature_map") or "identity"
    if named not in MAPS:
        c.assume("feature_map", named, "this feature map's own weights are not counted", estimated=True)
    sides = ("query",) if c.flag("tie_feature_map_qk") else ("query", "key")
    count = range(1, MAPS.get(named, 0) + 1)
    return [_map(f"{side}_map{layer}", width, width, bias=True, uses=heads) for side in sides for layer in count]


def _gated_recurrence(c: Settings, hidden: int) -> tuple[Mixer, list[Projection]]:
    """HGRN (arXiv 2311.04823): a state as wide as the input, so heads one wide: input, forget gate and output gate."""
    wide = int(hidden * (c.number("expand_ratio", noted=True) or 1))
    norm = Norm(weight=c.flag("elementwise_affine", True), size=wide)
    return _linear(c, wide, wide, 1, 1, gated_norm=norm, convolved=["query", "key"]), []


def _by_ratio(c: Settings, kind: str, hidden: int) -> tuple[Mixer, list[Projection]]:
    """HGRN2 (arXiv 2404.07904) and LightNet (2405.21022): heads that are `expand_ratio` wide."""
    ratio = c.optional_int("expand_ratio", minimum=1)
    heads = c.int("num_heads") if ratio is None else hidden // ratio
    if not heads or hidden // heads == 0:
        raise c.refuse("expand_ratio", f"no head is as wide as that: hidden_size is {hidden}", code="XF102")
    norm = Norm(size=hidden, weight=kind == "hgrn2" or c.flag("elementwise_affine", True))
    mixer = _linear(c, heads, heads, ratio or hidden // heads, hidden // heads, gated_norm=norm)
    if kind == "hgrn2":
        return mixer, []
    rank = c.int("gate_low_rank_dim")
    return mixer, [_map("gate_a", rank, hidden), _map("gate_b", hidden, rank)]


def _values(c: Settings, heads: int) -> tuple[int, int, int]:
    """(key width of a head, value width of a head, value heads)."""
    key = c.int("head_dim")
    return key, int(key * (c.number("expand_v", noted=True) or 1)), c.optional_int("num_v_heads", minimum=1) or heads


def _decays(many: int) -> list[Projection]:
    return [_vector("decay", many), _vector("dt_bias", many)]


def _delta_net(c: Settings, hidden: int, heads: int) -> tuple[Mixer, list[Projection]]:
    key, value, many = _values(c, heads)
    mixer = _linear(c, heads, heads, key, value, value_heads=many, gated_norm=Norm(), gate=c.flag("use_gate"), delta=True)
    return mixer, [_map("step", many, hidden), _map("rate", many, hidden), *_decays(many)]


def _delta_product(c: Settings, hidden: int, heads: int) -> tuple[Mixer, list[Projection]]:
    """DeltaProduct (arXiv 2502.10297): several keys and values a token."""
    key, value, _ = _values(c, heads)
    each = c.int("num_householder")
    mixer = _linear(c, heads, heads * each, key, value, gated_norm=Norm(), gate=c.flag("use_output_gate"), delta=True)
    decays = [_map("step", heads, hidden), *_decays(heads)] if c.flag("use_forget_gate") else []
    return mixer, [_map("rate", heads * each, hidden), *decays]


def _comba(c: Settings, hidden: int, heads: int) -> tuple[Mixer, list[Projection]]:
    """Comba (arXiv 2506.02475): a scalar a head for the output's correction and its decay, whatever the switches."""
    key, value, many = _values(c, heads)
    mixer = _linear(c, heads, heads, key, value, value_heads=many, gated_norm=Norm(), gate=c.flag("use_output_gate"), delta=True)
    return mixer, [
        _map("step", many, hidden),
        _map("rate", many, hidden),
        *_decays(many),
        _vector("inner_decay", heads),
        _vector("correction", heads),
    ]


def _kimi_delta(c: Settings, hidden: int, heads: int) -> tuple[Mixer, list[Projection]]:
    """Kimi delta attention (arXiv 2510.26692): a decay a channel of the key, from a map of low rank."""
    key, value, many = _values(c, heads)
    mixer = _linear(c, heads, heads, key, value, value_heads=many, gated_norm=Norm(), delta=True)
    return mixer, [
        _map("decay_a", value, hidden),
        _map("decay_b", many * key, value),
        _map("rate", many, hidden),
        _vector("decay", many),
        _vector("dt_bias", many * key),
        _map("gate_a", value, hidden),
        _map("gate_b", many * value, value, bias=True),
    ]


def _mesa(c: Settings, hidden: int, heads: int) -> tuple[Mixer, list[Projection]]:
    """MesaNet (arXiv 2506.05233): the least-squares answer of all tokens so far; convolutions over queries and keys alone."""
    key = c.int("head_dim")
    mixer = _linear(
        c, heads, heads, key, key, gated_norm=Norm(), gate=c.flag("use_output_gate"), delta=True, convolved=["query", "key"], always=True
    )
    return mixer, [
        _map("step", heads, hidden, bias=True),
        _map("rate", heads, hidden, bias=True),
        _vector("regularizer", heads * key),
    ]


DELTAS = {
    "gated_deltanet": _delta_net,
    "gated_deltaproduct": _delta_product,
    "comba": _comba,
    "kda": _kimi_delta,
    "mesa_net": _mesa,
}


def _linear(c: Settings, heads: int, groups: int, key: int, value: int, *, always: bool = False, **more: Any) -> LinearAttention:
    """The mixer; its convolutions where the type has the switch and it is on (`always`: whatever it says)."""
    kernel = c.int("conv_size") if always or (_switchable(c) and c.flag("use_short_conv")) else 0
    return LinearAttention(heads=heads, kv_heads=groups, key_dim=key, value_dim=value, kernel=kernel, **more)


def _switchable(c: Settings) -> bool:
    return c.table is not None and c.table.declares("use_short_conv")


def _map(name: str, rows: int, columns: int, *, bias: bool = False, uses: int = 1) -> Projection:
    return Projection(name=name, shape=[rows, columns], bias=bias, component="linear_attention", uses=uses)


def _vector(name: str, size: int) -> Projection:
    return Projection(name=name, shape=[size], multiplies=False, component="linear_attention")
