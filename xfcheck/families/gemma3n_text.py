"""Gemma 3n's language model: alternating updates (arXiv 2301.13310), low-rank residuals (arXiv 2411.07501), embeddings a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.residual_streams import ResidualStreams
from ..architecture.norm import Norm
from ._read.decoder import QKVO, attention, causal_model, rms
from ._read.dual_rotary import dual_rotary
from ._read.heads import heads_divide
from ._read.layers import crossed, depth, every, listed
from ._read.per_layer_embedding import layer_projections, table_projections
from ._read.shared_keys import OWN, REUSED, sharing
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.gemma_names import GEMMA3N
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gemma3n_text",)

MOST_STREAMS = 1024
"""More residual streams than any model has; each has tensors of its own name."""


def architecture(c: Settings) -> Architecture:
    """Every fifth layer sees all tokens by class; the last `num_kv_shared_layers` reuse keys; a layer has its own width of the network."""
    hidden, layers, streams = c.int("hidden_size"), depth(c), c.int("altup_num_inputs", maximum=MOST_STREAMS)
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, 5, FULL, SLIDING)
    heads_divide(c)
    shares = sharing(c, kinds, layers, all_allowed=False)
    parts = {f"{kind}_{share}": (kind, share, held) for (kind, share), held in crossed(kinds, shares).items()}
    sizes = widths(c, layers)
    blocks = [
        layer(c, hidden, streams, parts[part][0], parts[part][1], sizes[size][0], held)
        for (part, size), held in crossed(
            {name: held for name, (_, _, held) in parts.items()}, {name: held for name, (_, held) in sizes.items()}
        ).items()
    ]
    beside = table_projections(c.int("vocab_size_per_layer_input"), layers, hidden, c.int("hidden_size_per_layer_input"))
    for name in ("altup_projection", "altup_unembed"):
        beside += [Projection(name=f"{name}_{i}", shape=[hidden, hidden]) for i in range(streams - 1)]
    stack = Stack(hidden_size=hidden, blocks=blocks, final_norm=rms(c), projections=beside)
    return causal_model(c, stack, multiplier=hidden**0.5, softcap=c.number("final_logit_softcapping"))


def widths(c: Settings, layers: int) -> dict[str, tuple[int, LayerSet]]:
    """Name -> (width of the network, layers): `intermediate_size` is one number or a list of one a layer."""
    given = c.raw("intermediate_size")
    if not isinstance(given, list):
        return {"plain": (c.int("intermediate_size"), LayerSet.first(layers))}
    if len(given) != layers or any(isinstance(width, bool) or not isinstance(width, int) or width < 1 for width in given):
        raise c.refuse(
            "intermediate_size", f"intermediate_size needs {layers} positive whole numbers, one a layer, or one for all", code="XF114"
        )
    held: dict[int, list[int]] = {}
    for index, width in enumerate(given):
        held.setdefault(width, []).append(index)
    return {str(width): (width, LayerSet.of(indices)) for width, indices in held.items()}


def layer(c: Settings, hidden: int, streams: int, kind: str, share: str, width: int, held: LayerSet) -> Block:
    """One kind of layer: attention and network work on one stream, the others are predicted before and corrected after."""
    norm, head = rms(c), c.int("head_dim")
    head_norm, position = (
        Norm(eps=norm.eps, size=head),
        dual_rotary(c, head, kind, keys={FULL: "rope_theta", SLIDING: "rope_local_base_freq"}),
    )
    biases = QKVO if c.flag("attention_bias") else []
    mixer = attention(
        c,
        hidden,
        mask=mask_of(c, kind, c.int("sliding_window")),
        position=position,
        biases=biases,
        width=head,
        query_norm=head_norm,
        key_norm=head_norm,
        scale=1.0,
    ).model_copy(update={"shares_cache": share == REUSED, "value_norm": Norm(eps=norm.eps, weight=False)})
    forward = MLP(intermediate_size=width, activation=c.text("hidden_activation") or "gelu_pytorch_tanh")
    return Block(
        name=f"{kind}_{share}_{width}" if share != OWN else f"{kind}_{width}",
        layers=held,
        sublayers=[
            Sublayer(name="attention", mixers=[mixer, ResidualStreams(streams=streams, width=hidden)], norm=norm, norm_after=norm),
            Sublayer(name="feed_forward", mixers=[forward], norm=norm, norm_after=norm),
        ],
        projections=[*updates(c, hidden, streams), *layer_projections(hidden, c.int("hidden_size_per_layer_input"))],
    )


def updates(c: Settings, hidden: int, streams: int) -> list[Projection]:
    """The coefficients of prediction and correction (their router reads a stream before and after), and the low-rank residual."""
    rank = c.int("laurel_rank")
    return [
        Projection(name="altup_scale", shape=[hidden], multiplies=False),
        Projection(name="altup_correction", shape=[streams, streams]),
        Projection(name="altup_prediction", shape=[streams * streams, streams]),
        Projection(name="altup_router", shape=[streams, hidden], uses=2),
        Projection(name="altup_router_norm", shape=[hidden], multiplies=False, component="norm"),
        Projection(name="laurel_left", shape=[rank, hidden]),
        Projection(name="laurel_right", shape=[hidden, rank]),
        Projection(name="laurel_norm", shape=[hidden], multiplies=False, component="norm"),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 3n language model; the maps into and out of the further streams are numbered from 0."""
    numbered = [projection.name for projection in a.main.projections if projection.name not in GEMMA3N.checkpoint]
    half = len(numbered) // 2
    names = {name: f"model.altup_projections.{i}" for i, name in enumerate(numbered[:half])}
    names |= {name: f"model.altup_unembed_projections.{i}" for i, name in enumerate(numbered[half:])}
    return model(a, GEMMA3N.but(names))
