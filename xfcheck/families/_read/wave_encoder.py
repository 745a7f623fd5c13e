"""Encoders of a waveform after wav2vec 2.0 (Baevski et al. 2020, arXiv 2006.11477): convolutions, one more for positions, layers."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.masks import BIDIRECTIONAL
from .decoder import QKVO, layer_norm
from .encoder_decoder import NORM
from .plain import multi_head, plain

if TYPE_CHECKING:
    from .settings import Settings


def features(c: Settings, normed: int | None = None) -> list[Projection]:
    """One convolution a stage, each with a norm, or the first `normed` of them.

    A stage runs as often for one vector of the last as the strides behind it multiply to. Raises Refused XF114 where the lists of the
    stages differ in length.
    """
    sizes, kernels, strides = (sized(c, f"conv_{key}") for key in ("dim", "kernel", "stride"))
    for key, values in (("conv_kernel", kernels), ("conv_stride", strides)):
        if len(values) != len(sizes):
            raise c.refuse(key, f"{key} has {len(values)} entries for {len(sizes)} of conv_dim", code="XF114")
    bias, out = c.flag("conv_bias"), []
    for stage, (size, kernel) in enumerate(zip(sizes, kernels, strict=True)):
        shape = [size, sizes[stage - 1] if stage else 1, kernel]
        uses = prod(strides[stage + 1 :])
        out.append(Projection(name=f"stage{stage}", shape=shape, bias=bias, component="convolution", uses=uses))
        if normed is None or stage < normed:
            out.append(Projection(name=f"stage{stage}_norm", shape=[size], multiplies=False, bias=True, component="norm"))
    return out


def sized(c: Settings, key: str) -> list[int]:
    """A list of sizes. Raises Refused XF113 for anything else."""
    values: list[Any] = c.list(key) or []
    if not values or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in values):
        raise c.refuse(key, f"{key} must be a list of whole numbers")
    return values


def feature_names(projections: list[Projection], front: str) -> dict[str, str]:
    """The names of the stages: `front` and the number of each."""
    stages = {p.name: p.name.removeprefix("stage").partition("_") for p in projections}
    return {name: f"{front}.{n}.{'layer_norm' if norm else 'conv'}" for name, (n, _, norm) in stages.items() if n.isdecimal()}


def wave_encoder(c: Settings, steps: list[Sublayer], *, last_norm: bool, normed_features: bool = True, batch_norm: bool = False) -> Stack:
    """Vectors of the waveform, a map, positions from a grouped convolution whose weight is kept as a length and a direction.

    `batch_norm`: a norm with running statistics stands in that weight's place. `last_norm`: the norm of the stack is after the layers,
    not before them.
    """
    hidden, groups, last = c.int("hidden_size"), c.int("num_conv_pos_embedding_groups"), sized(c, "conv_dim")[-1]
    kernel, norm = c.int("num_conv_pos_embeddings"), layer_norm(c)
    if hidden % groups:
        raise c.refuse("num_conv_pos_embedding_groups", f"hidden_size {hidden} is not divisible by {groups} groups", code="XF117")
    group_norm = c.text("feat_extract_norm") == "group"
    return Stack(
        stream="encoder",
        hidden_size=hidden,
        blocks=[Block(name="encoder", layers=LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT)), sublayers=steps)],
        embedding_norm=None if last_norm else norm,
        final_norm=norm if last_norm else None,
        projections=[
            *features(c, 1 if group_norm else None),
            *([Projection(name="features_norm", shape=[last], multiplies=False, bias=True, component="norm")] if normed_features else []),
            Projection(name="features_map", shape=[hidden, last], bias=True),
            *positions(hidden, hidden // groups, kernel, batch_norm=batch_norm),
        ],
    )


def positions(hidden: int, group: int, kernel: int, *, batch_norm: bool) -> list[Projection]:
    """The convolution for positions, a bias that stands apart, and a length for every tap."""
    weight = Projection(name="positions", shape=[hidden, group, kernel], component="convolution")
    bias = Projection(name="positions_bias", shape=[hidden], multiplies=False, component="convolution")
    if batch_norm:
        return [weight, bias, *running_norm("positions_norm", hidden)]
    return [weight, bias, Projection(name="positions_length", shape=[1, 1, kernel], multiplies=False, component="convolution")]


def running_norm(name: str, width: int) -> list[Projection]:
    """A batch norm: weight and bias, and three buffers of what it has seen."""
    return [
        Projection(name=name, shape=[width], multiplies=False, bias=True, component="norm"),
        Projection(name=f"{name}_mean", shape=[width], multiplies=False, buffer=True),
        Projection(name=f"{name}_variance", shape=[width], multiplies=False, buffer=True),
        Projection(name=f"{name}_batches", shape=[], multiplies=False, buffer=True, dtype="int64"),
    ]


def plain_layers(c: Settings, *, before: bool) -> list[Sublayer]:
    """Layers with a norm before each step, or after each sum; with `adapter_attn_dim` the former have an adapter at their end."""
    norm = layer_norm(c)
    own = multi_head(c, c.int("hidden_size"), mask=BIDIRECTIONAL, biases=QKVO)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    if not before:
        return [Sublayer(name=n, mixers=[m], norm_residual=norm) for n, m in (("attention", own), ("feed_forward", forward))]
    steps = [Sublayer(name=n, mixers=[m], norm=norm) for n, m in (("attention", own), ("feed_forward", forward))]
    narrow = c.optional_int("adapter_attn_dim")
    if narrow is not None:
        adapter = plain(narrow, "relu").model_copy(update={"name": "adapter"})
        steps.append(Sublayer(name="adapter", mixers=[adapter], norm=NORM))
    return steps
