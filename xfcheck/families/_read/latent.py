"""Latent attention and the experts that go with it, as DeepSeek's classes and their kin read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ...architecture.blocks import Block, Sublayer
from ...architecture.layers import LayerSet
from ...architecture.masks import CAUSAL, Mask
from ...architecture.mixers.latent_attention import Indexer, LatentAttention
from ...architecture.mixers.mlp import MLP
from ...architecture.mixers.moe import Router
from ...architecture.norm import Norm
from .layers import crossed, grouped, listed
from .moe import routed
from .rotary import rotary
from .settings import Settings
from .undeclared import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...architecture.mixers.moe import MoE

DENSE, SPARSE = "dense", "sparse"
FULL_INDEX, SHARED_INDEX = "full", "shared"


def overridden(c: Settings, values: Mapping[str, Any]) -> Settings:
    """The same settings with some values replaced, as a layer that differs from the others reads them."""
    return Settings({**c.data, **values}, c.table, pointer=c.pointer, reading=c.reading)


def latent(  # noqa: PLR0913 (every option is given by name)
    c: Settings,
    *,
    ranked: bool = False,
    norm_eps: float = 1e-6,
    interleaved: bool | None = None,
    layer_type: str | None = None,
    mask: Mask = CAUSAL,
    indexer: Indexer | None = None,
    rope_norm: Norm | None = None,
    gate: Literal["none", "query", "elementwise", "headwise"] = "none",
    sinks: bool = False,
    value_dim: int | None = None,
) -> LatentAttention:
    """Latent attention from the usual keys; `ranked`: the class has no query matrix without a rank.

    `attention_bias` is on the two down projections and the output, never on the up projections; the number of KV heads alters nothing.
    """
    rope = c.int("qk_rope_head_dim")
    rank = c.int("q_lora_rank") if ranked else c.optional_int("q_lora_rank", minimum=1)
    pairs = c.flag("rope_interleave", True) if interleaved is None else interleaved
    position = rotary(c, rope, layer_type=layer_type, layout="interleaved" if pairs else "half").model_copy(update={"width": rope})
    return LatentAttention(
        query_heads=c.int("num_attention_heads"), query_rank=rank, kv_rank=c.int("kv_lora_rank"),
        nope_dim=c.int("qk_nope_head_dim", minimum=0), rope_dim=rope, value_dim=c.int("v_head_dim") if value_dim is None else value_dim,
        biases=["query_a", "kv_a", "output"] if c.flag("attention_bias") else [], latent_norm=Norm(eps=norm_eps), mask=mask,
        position=position, dropout=c.number("attention_dropout") or 0.0, indexer=indexer, rope_norm=rope_norm, gate=gate, sinks=sinks,
    )  # fmt: skip


def indexer(c: Settings, *, shared: bool = False, eps: float | None = 1e-6, full_precision: bool = False) -> Indexer:
    """The indexer of sparse attention, or the mark of a layer that reuses an earlier one's choice."""
    return Indexer(
        heads=c.int("index_n_heads"),
        head_dim=c.int("index_head_dim"),
        top_k=c.int("index_topk"),
        key_norm=Norm(kind="layer", bias=True, eps=eps),
        shared=shared,
        full_precision=full_precision,
    )


def indexed(c: Settings) -> Mask:
    """Causal, of which the indexer leaves `index_topk` keys; the cache of such a layer keeps every token."""
    return Mask(kind="indexed", window=c.int("index_topk"))


def deepseek_experts(c: Settings, *, scoring: Literal["softmax", "sigmoid"] = "sigmoid", shared_width: int | None = None,
                     bias: bool = False, storage: str = "separate") -> MoE:  # fmt: skip
    """Groups of experts chosen by scores, a correction bias that is a buffer (with sigmoid scores), shared experts as one MLP.

    No shared experts still leave tensors of size zero, as in the class.
    """
    shared = c.int("n_shared_experts", minimum=0)
    width = c.int("moe_intermediate_size") if shared_width is None else shared_width
    corrected = scoring == "sigmoid"
    return routed(
        c, experts=_count_key(c), width="moe_intermediate_size", storage=storage,
        router=Router(
            scoring=scoring, normalise=c.flag("norm_topk_prob"), scale=c.number("routed_scaling_factor") or 1.0,
            correction="buffer" if corrected else "none", groups=c.optional_int("n_group"),
            groups_per_token=c.optional_int("topk_group"), group_score_experts=2 if corrected else 1,
        ),
        shared=MLP(intermediate_size=width * shared, activation=c.text("hidden_act") or "silu", bias=bias, output_bias=bias),
        shared_experts=shared,
    )  # fmt: skip


def _count_key(c: Settings) -> str:
    """The key that counts the experts: an older `num_experts` beats the class's own key, `num_local_experts` beats both."""
    rerouted = (
        c.table is not None
        and "num_experts" in c.table.kwargs
        and c.data.get("num_experts") is not None
        and "num_local_experts" not in c.data
    )
    return "num_experts" if rerouted else "n_routed_experts"


def dense_first(c: Settings, layers: int) -> dict[str, LayerSet]:
    """`first_k_dense_replace` dense layers and experts after; more than the depth makes all dense, `moe_layer_freq` alters nothing."""
    dense = min(c.int("first_k_dense_replace", minimum=0), layers)
    return _present({DENSE: LayerSet((range(dense),)), SPARSE: LayerSet((range(dense, layers),))})


def feeds(c: Settings, layers: int, *, first: int) -> dict[str, LayerSet]:
    """Dense and sparse layers by `mlp_layer_types`, else `first` dense ones."""
    given = listed(c, layers, "mlp_layer_types", known=(DENSE, SPARSE))
    if given is not None:
        return given
    first = max(0, min(first, layers))
    return _present({DENSE: LayerSet((range(first),)), SPARSE: LayerSet((range(first, layers),))})


def feeds_by_frequency(c: Settings, layers: int) -> dict[str, LayerSet]:
    """By `mlp_layer_types`, else the older keys: experts from `first_k_dense_replace` (default 1) in each `moe_layer_freq`-th layer."""
    given = listed(c, layers, "mlp_layer_types", known=(DENSE, SPARSE))
    if given is not None:
        return given
    first = min(c.int("first_k_dense_replace", minimum=0) if c.has("first_k_dense_replace") else 1, layers)
    step = c.raw("moe_layer_freq", noted=False)
    if isinstance(step, list):
        sparse = LayerSet.of(i for i in range(first, layers) if i < len(step) and step[i])
    else:
        step = c.int("moe_layer_freq") if step is not None else 1
        sparse = LayerSet.spaced(-(-first // step) * step, layers, step)
    rest = LayerSet((range(first),)) if step == 1 else LayerSet.of(i for i in range(layers) if i not in sparse)
    return _present({DENSE: rest, SPARSE: sparse})


def indexing(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers with an indexer and layers without: `indexer_types`, a pattern of F and S, or every `index_topk_freq`-th after an offset."""
    known = (FULL_INDEX, SHARED_INDEX)
    given = listed(c, layers, "indexer_types", known=known)
    if given is not None:
        return given
    pattern = c.raw("index_topk_pattern")
    if isinstance(pattern, str):
        letters = {"F": FULL_INDEX, "S": SHARED_INDEX}
        if len(pattern) < layers or set(pattern) - set(letters):
            raise c.refuse("index_topk_pattern", f"index_topk_pattern needs {layers} letters, each F or S", code="XF114")
        return grouped(letters[letter] for letter in pattern[:layers])
    if pattern is not None:
        return listed(c, layers, "index_topk_pattern", known=known) or {FULL_INDEX: LayerSet.first(layers)}
    step = max(c.int("index_topk_freq", minimum=0) if c.has("index_topk_freq") else 1, 1)
    offset = c.int("index_skip_topk_offset", minimum=0) if c.has("index_skip_topk_offset") else 2
    if step == 1:
        return {FULL_INDEX: LayerSet.first(layers)}
    return grouped(FULL_INDEX if max(i - offset + 1, 0) % step == 0 else SHARED_INDEX for i in range(layers))


def _present(kinds: dict[str, LayerSet]) -> dict[str, LayerSet]:
    return {kind: held for kind, held in kinds.items() if len(held)}


def pair(attention: LatentAttention, forward: MLP | MoE, norm: Norm) -> list[Sublayer]:
    """The two residual steps of a layer with a norm before each."""
    return [Sublayer(name="attention", mixers=[attention], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)]


def plain_blocks(c: Settings, layers: int, feeding: dict[str, LayerSet], attention: LatentAttention,
                 forward: Callable[[str], list[Sublayer]], *, multiplier: float = 1.0) -> list[Block]:  # fmt: skip
    """The layers of a class that does not window its attention, apart where the default cache windows some all the same.

    `forward` makes the feed-forward step of a dense or a sparse layer; the attention step with its norm comes before it.
    """
    norm, blocks = Norm(eps=c.number("rms_norm_eps")), list[Block]()
    for (kept, feed), held in crossed(cached(c, layers), feeding).items():
        first = Sublayer(name="attention", mixers=[attention.model_copy(update={"kept_tokens": kept})], norm=norm, multiplier=multiplier)
        blocks.append(block(f"{feed}_{kept or 'all'}", held, [first, *forward(feed)]))
    return blocks


def block(name: str, layers: LayerSet, sublayers: list[Sublayer]) -> Block:
    """A kind of layer."""
    return Block(name=name, layers=layers, sublayers=sublayers)
