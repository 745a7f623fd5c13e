"""Mixers with a state: what their input map gives, the convolution, the state after the last token, the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Activation, Where


def activations(spec: Any, at: Where) -> Iterator[Activation]:
    """Widths by kind; states stay in 32 bits but for lightning attention and the mLSTM, which keep the model's dtype."""
    found: Iterator[Activation] = {
        "mamba": _mamba,
        "mamba2": _mamba2,
        "gated_delta": _gated_delta,
        "lightning_attention": _lightning,
        "short_convolution": _short,
        "kimi_delta": _kimi_delta,
        "linear_attention": _linear,
        "rg_lru": _rg_lru,
        "time_mix": _time_mix,
        "mlstm": _mlstm,
        "fourier": _nothing,
    }[spec.kind](spec, at)
    yield from found
    yield at.row("output", [*at.stream, ("d", at.hidden)])


def _mamba(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("2*d_i", 2 * spec.inner_size)])
    yield at.row("conv", [("B", at.batch), ("d_i", spec.inner_size), at.tokens])
    yield at.row("state", [("B", at.batch), ("d_i", spec.inner_size), ("N", spec.state_size)], dtype="float32")


def _mamba2(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("2*d_i+2*G*N+H", spec.inner_size + spec.conv_size + spec.heads)])
    yield at.row("conv", [*at.stream, ("d_i+2*G*N", spec.conv_size)])
    yield at.row("state", [("B", at.batch), ("H", spec.heads), ("P", spec.head_dim), ("N", spec.state_size)], dtype="float32")


def _gated_delta(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("2*d_k+2*d_v+2*H", 2 * spec.keys + 2 * spec.values + 2 * spec.value_heads)])
    yield at.row("conv", [*at.stream, ("2*d_k+d_v", spec.conv_size)])
    yield at.row("state", [("B", at.batch), ("H", spec.value_heads), ("K", spec.key_dim), ("V", spec.value_dim)], dtype="float32")


def _lightning(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("qkv", [*at.stream, ("3*d_i", 3 * spec.inner_size)])
    yield at.row("state", [("B", at.batch), ("H", spec.heads), ("D", spec.head_dim), ("D", spec.head_dim)])


def _short(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("3*d", 3 * spec.channels)])
    yield at.row("conv", [("B", at.batch), ("d", spec.channels), at.tokens])


def _kimi_delta(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("3*d_i", 3 * spec.inner_size)])
    yield at.row("conv", [*at.stream, ("3*d_i", 3 * spec.inner_size)])
    yield at.row("state", [("B", at.batch), ("H", spec.heads), ("D", spec.head_dim), ("D", spec.head_dim)], dtype="float32")


def _linear(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("2*d_k+d_v", sum(spec.widths.values()))])
    if spec.kernel and spec.convolved:
        yield at.row("conv", [*at.stream, ("d_conv", spec.conv_size)])
    keys, values = ("K", spec.key_dim), ("V", spec.value_dim)
    states = {"state": (keys, values)}
    if spec.slots is not None:
        states = {"slots_keys": (keys, ("M", spec.slots)), "slots_values": (("M", spec.slots), values)}
    for name, dims in states.items():
        yield at.row(name, [("B", at.batch), ("H", spec.outputs), *dims], dtype="float32")


def _rg_lru(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("d_i", spec.width)])
    yield at.row("conv", [("B", at.batch), ("d_i", spec.width), at.tokens])
    yield at.row("state", [("B", at.batch), ("d_i", spec.width)], dtype="float32")


def _time_mix(spec: Any, at: Where) -> Iterator[Activation]:
    for name in ("key", "value"):
        yield at.row(name, [*at.stream, ("d_i", spec.width)])


def _mlstm(spec: Any, at: Where) -> Iterator[Activation]:
    yield at.row("in", [*at.stream, ("2*d_k+2*d_v", 2 * spec.keys + 2 * spec.values)])
    yield at.row("state", [("B", at.batch), ("H", spec.heads), ("K", spec.key_dim), ("V", spec.value_dim)])


def _nothing(spec: Any, at: Where) -> Iterator[Activation]:
    yield from ()
