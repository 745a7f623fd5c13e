"""Inkling 2's language models: attention over depth instead of plain residuals, short convolutions, experts; some layers in a loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.depth_attention import DepthAttention
from ..architecture.mixers.moe import Router
from ..architecture.mixers.token_filter import TokenFilter
from ._read.decoder import causal_model, rms
from ._read.layers import depth, every, listed
from ._read.moe import routed
from ._rows.inkling2_names import INKLING2
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import AnyMixer
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("inkling2_text", "inkling2_loop_text")

HYBRID, SLIDING = "hybrid", "hybrid_sliding"


@dataclass(frozen=True, slots=True)
class Loop:
    """Layers `start` to `stop - 1`, run `passes` times; later passes take messages through gates of `rank`."""

    start: int
    stop: int
    passes: int
    rank: int


def architecture(c: Settings) -> Architecture:
    """A token's state goes on from a choice among its states after each `n_layers_per_attn_res_block` layers. The head is never tied."""
    hidden, norm, layers, size = c.int("hidden_size"), rms(c), depth(c), c.int("n_layers_per_attn_res_block")
    named = listed(c, layers, known=(HYBRID, SLIDING)) or every(layers, 6, HYBRID, SLIDING)
    loop, full = looped(c), set(named.get(HYBRID, LayerSet(())))
    alike: dict[tuple[object, ...], list[int]] = {}
    for i in range(layers):
        alike.setdefault((i in full, i // size, i % size == 0, i == 0, i == layers - 1, loop.start <= i < loop.stop), []).append(i)
    blocks = [block(c, hidden, norm, size, layers, loop, held, full=held[0] in full) for held in alike.values()]
    stack = Stack(
        hidden_size=hidden, blocks=blocks, embedding_norm=norm, final_norm=norm, projections=queries(hidden, layers, full, c, loop)
    )
    whole = causal_model(c, stack, tied=False, softcap=c.number("final_logit_softcapping"))
    rows = whole.head.rows and c.int("unpadded_vocab_size")
    if rows > whole.head.rows:
        c.assume("unpadded_vocab_size", rows, "more rows than vocab_size: no checkpoint can hold such a head", estimated=True)
    return whole.model_copy(update={"head": whole.head.model_copy(update={"rows": rows, "padding": max(0, whole.head.rows - rows)})})


def looped(c: Settings) -> Loop:
    """The looped layers; `loop_config` in a file beats the flat keys. No loop in the type without these keys."""
    if c.table is None or not c.table.declares("loop_num_passes"):
        return Loop(0, 0, 1, 0)
    nested = c.nested("loop_config", None)
    keys = {
        "core_start": "loop_layer_index_start",
        "core_end": "loop_layer_index_end",
        "num_passes": "loop_num_passes",
        "gate_rank": "loop_gate_rank",
    }
    return Loop(*(nested.int(inner) if nested.has(inner) else c.int(flat) for inner, flat in keys.items()))


def block(c: Settings, hidden: int, norm: Norm, size: int, layers: int, loop: Loop, held: list[int], *, full: bool) -> Block:
    """Layers of one kind in one group of `size` layers."""
    first, kernel = held[0], c.int("conv_kernel_size")
    group, inside = first // size, loop.start <= first < loop.stop
    before = group if first % size == 0 else group + 1
    heads = attention(c, full=full)
    width, groups = heads.kv_heads * heads.head_dim, heads.kv_heads if full else None
    chosen = [DepthAttention(name="attention_input", queries=3 if full else 1, states=before + 1, width=hidden)] if first else []
    filters = [
        TokenFilter(name="key_filter", channels=width, kernel=kernel, groups=groups),
        TokenFilter(name="value_filter", channels=width, kernel=kernel, groups=groups),
        TokenFilter(name="attention_filter", channels=hidden, kernel=kernel),
    ]
    sublayers = [
        Sublayer(
            name="full" if full else "attention",
            mixers=[*chosen, heads, *filters],
            norm=norm,
            projections=around(c, hidden, heads, full=full),
        ),
        feed(c, hidden, norm, group + 2),
    ]
    if not first:
        sublayers.append(Sublayer(name="once", mixers=once(loop, hidden, size, layers)))
    return Block(
        name=f"{'full' if full else 'sliding'}_{first}", layers=LayerSet.of(held), sublayers=sublayers, uses=loop.passes if inside else 1
    )


def attention(c: Settings, *, full: bool) -> Attention:
    """The heads of a layer of that kind, under a gate of the whole width."""
    prefix, mask = ("", CAUSAL) if full else ("swa_", Mask(kind="sliding", window=c.int("sliding_window_size")))
    return Attention(
        query_heads=c.int(f"{prefix}num_attention_heads"),
        kv_heads=c.int(f"{prefix}num_key_value_heads"),
        head_dim=c.int(f"{prefix}head_dim"),
        gate="elementwise",
        mask=mask,
        dropout=c.number("attention_dropout") or 0.0,
    )


def around(c: Settings, hidden: int, heads: Attention, *, full: bool) -> list[Projection]:
    """Scales of the clipped queries, sinks that the token gives, relative positions; norms of what keys and values read in full layers."""
    count, rank = heads.query_heads, c.int("d_rel")
    extent = c.int("rel_extent") if full else c.int("sliding_window_size")
    parts = [
        Projection(name="query_scale", shape=[count, heads.head_dim], multiplies=False, component="norm"),
        Projection(name="sinks", shape=[count, hidden], component="attention"),
        Projection(name="relative", shape=[count * rank, hidden], component="attention"),
        Projection(name="relative_scale", shape=[count, rank], multiplies=False, component="norm"),
        Projection(name="profiles", shape=[rank, extent], component="position_embedding", uses=count),
    ]
    norms = [Projection(name=f"{part}_norm", shape=[hidden], multiplies=False, component="norm") for part in ("key", "value")]
    return [*parts, *norms] if full else parts


def feed(c: Settings, hidden: int, norm: Norm, states: int) -> Sublayer:
    """Experts of a router with a correction bias, behind a choice among the states so far."""
    router = Router(scoring="sigmoid", normalise=True, scale=c.number("route_scale") or 1.0, correction="buffer")
    experts = routed(c, experts="n_routed_experts", width="moe_intermediate_size", router=router, storage="stacked")
    chosen = DepthAttention(name="forward_input", queries=1, states=states, width=hidden)
    last = TokenFilter(name="forward_filter", channels=hidden, kernel=c.int("conv_kernel_size"))
    return Sublayer(name="feed_forward", mixers=[chosen, experts, last], norm=norm)


def once(loop: Loop, hidden: int, size: int, layers: int) -> list[AnyMixer]:
    """Choices that belong to no layer: before the final norm; four messages a looped layer, in every pass but the first.

    They stand with the first layer, which is in no loop.
    """
    inside = max(0, min(loop.stop, layers) - loop.start)
    found = [DepthAttention(name="final_input", queries=1, states=-(-layers // size) + 1, width=hidden)]
    if inside and loop.passes > 1:
        found.append(DepthAttention(name="message_input", queries=4 * inside * (loop.passes - 1), states=-(-inside // size), width=hidden))
    return list(found)


def queries(hidden: int, layers: int, full: set[int], c: Settings, loop: Loop) -> list[Projection]:
    """The trained queries of all choices: before attention from the second layer on, before the experts, before the final norm."""
    sliding = LayerSet.of(i - 1 for i in range(1, layers) if i not in full)
    wide = LayerSet.of(i - 1 for i in range(1, layers) if i in full)
    found = [
        Projection(name="attention_queries", shape=[hidden], multiplies=False, numbers=sliding),
        Projection(name="attention_queries", shape=[3, hidden], multiplies=False, numbers=wide),
        Projection(name="forward_queries", shape=[hidden], multiplies=False, numbers=LayerSet.first(layers)),
        Projection(name="output_query", shape=[hidden], multiplies=False),
    ]
    return [*(x for x in found if x.numbers is None or len(x.numbers)), *gates(hidden, layers, loop)]


def gates(hidden: int, layers: int, loop: Loop) -> list[Projection]:
    """What takes messages in: queries for all looped layers, and four gates of low rank a layer, used in every pass but the first."""
    if loop.stop <= loop.start:
        return []
    count = 2 * (loop.stop - loop.start)
    found = [Projection(name=name, shape=[count, hidden], multiplies=False) for name in ("message_queries", "message_key_queries")]
    held = LayerSet((range(loop.start, min(loop.stop, layers)),))
    shapes = {"down": [loop.rank, 2 * hidden], "forget": [hidden, loop.rank], "gain": [hidden, loop.rank]}
    parts = [(part, what, shape) for part in ("query", "key", "value", "forward") for what, shape in shapes.items()]
    gated = [Projection(name=f"{part}_{what}", shape=shape, numbers=held, uses=max(loop.passes - 1, 0)) for part, what, shape in parts]
    return [*found, *(gated if len(held) else [])]


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Inkling 2 checkpoint of the language model.

    It numbers the queries before attention from the second layer on; a module holds four messages' queries a looped layer in one tensor.
    """
    return [as_modules(row) for row in model(a, INKLING2)]


def as_modules(row: Row) -> Row:
    """How transformers' modules hold the row where it is otherwise than by another name."""
    if row.role.part == "attention_queries":
        return row._replace(module_shift=1)
    if row.role.part in ("message_queries", "message_key_queries"):
        return row._replace(module_view=(row.shape[0] // 2, 4, row.shape[1]))
    return row
