"""Gemma 4's decoder: wide heads in the layers that see everything, shared keys, embeddings a layer, experts beside a dense network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LayerSet
from ...architecture.masks import Mask
from ...architecture.mixers.mlp import MLP
from ...architecture.mixers.moe import Router
from ...architecture.norm import Norm
from .decoder import QKVO, attention, rms
from .latent import overridden
from .layers import crossed, depth, every, listed
from .moe import routed
from .per_layer import differing, overrides
from .per_layer_embedding import layer_projections, table_projections
from .rotary import rotary
from .shared_keys import REUSED, sharing
from .windows import FULL, SLIDING, mask_of

if TYPE_CHECKING:
    from ...architecture.mixers.attention import Attention
    from ...architecture.mixers.moe import MoE
    from .settings import Settings

PATTERN = 6
GLOBAL_HEAD_DIM = 512
"""Head width of layers that see everything where the file says nothing (configuration_gemma4.py, `global_head_dim`)."""


def gemma4_stack(c: Settings) -> Stack:
    """The decoder; by class each sixth layer sees everything, and the last one always does."""
    hidden, layers = c.int("hidden_size"), depth(c)
    kinds = attention_kinds(c, layers)
    given = overrides(c, layers)
    if given is None:
        given = dict.fromkeys(kinds[FULL], global_sizes(c))
    mixed = {str(index): one for index, one in enumerate(differing(c, kinds, given))}
    shares = sharing(c, kinds, layers, all_allowed=True)
    blocks = [
        layer(c, hidden, mixed[index].kind, mixed[index].values, share, held)
        for (index, share), held in crossed({index: one.layers for index, one in mixed.items()}, shares).items()
    ]
    width = per_layer_width(c)
    beside = table_projections(c.int("vocab_size_per_layer_input"), layers, hidden, width) if width else []
    return Stack(hidden_size=hidden, blocks=blocks, final_norm=rms(c), projections=beside)


def attention_kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers by kind, the last one made to see everything."""
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, PATTERN, FULL, SLIDING)
    sliding = kinds.get(SLIDING, LayerSet(()))
    if layers - 1 not in sliding:
        return kinds
    last = LayerSet((range(layers - 1, layers),))
    rest = LayerSet.of(i for i in sliding if i != layers - 1)
    changed = {SLIDING: rest, FULL: LayerSet.union([kinds.get(FULL, LayerSet(())), last])}
    return {kind: held for kind, held in changed.items() if len(held)}


def global_sizes(c: Settings) -> dict[str, Any]:
    """What layers that see everything read: their own head width, and KV heads of their own where keys are values."""
    width = c.int("global_head_dim") if c.has("global_head_dim") else GLOBAL_HEAD_DIM
    heads = c.optional_int("num_global_key_value_heads", minimum=1) if c.flag("attention_k_eq_v") else None
    return {"head_dim": width} if heads is None else {"head_dim": width, "num_key_value_heads": heads}


def per_layer_width(c: Settings) -> int:
    """Width of the embeddings a layer, 0 where the class or the file has none."""
    return c.int("hidden_size_per_layer_input", minimum=0) if c.table is None or c.table.declares("hidden_size_per_layer_input") else 0


def layer(c: Settings, hidden: int, kind: str, values: dict[str, Any], share: str, held: LayerSet) -> Block:
    """One kind of layer; a layer's output is scaled by one stored number."""
    norm, reused = rms(c), share == REUSED
    doubled = 2 if reused and c.flag("use_double_wide_mlp") else 1
    dense = MLP(intermediate_size=c.int("intermediate_size") * doubled, activation=c.text("hidden_activation") or "gelu_pytorch_tanh")
    mixer = heads(overridden(c, values), hidden, kind, reused=reused)
    mixed = c.table is not None and c.table.declares("enable_moe_block") and c.flag("enable_moe_block")
    width = per_layer_width(c)
    scalar = Projection(name="layer_scale", shape=[1], multiplies=False, buffer=True)
    return Block(
        name=f"{kind}_{share}_{mixer.head_dim}",
        layers=held,
        sublayers=[
            Sublayer(name="attention", mixers=[mixer], norm=norm, norm_after=norm),
            Sublayer(
                name="feed_forward", mixers=[dense, experts(c)] if mixed else [dense], norm=norm, norm_after=norm,
                projections=around_experts(c, hidden) if mixed else [],
            ),
        ],
        projections=[scalar, *(layer_projections(hidden, width) if width else [])],
    )  # fmt: skip


def heads(c: Settings, hidden: int, kind: str, *, reused: bool) -> Attention:
    """The attention of a layer, read with the layer's own values. Keys are values in layers that see everything where the switch is on."""
    width, norm = c.int("head_dim"), rms(c)
    head_norm, window = Norm(eps=norm.eps, size=width), c.int("sliding_window")
    both = c.raw("use_bidirectional_attention", noted=False) == "all"
    mask, kept = mask_of(c, kind, window), None
    if both:
        reach = window // 2
        mask, kept = (Mask(kind="local", window=reach), reach + 1) if kind == SLIDING else (Mask(kind="bidirectional"), None)
    found = attention(
        c, hidden, mask=mask, position=rotary(c, width, layer_type=kind), biases=QKVO if c.flag("attention_bias") else [], width=width,
        query_norm=head_norm, key_norm=head_norm, scale=1.0, kept_tokens=kept,
    )  # fmt: skip
    more = {
        "shares_cache": reused,
        "value_norm": Norm(eps=norm.eps, weight=False),
        "value_is_key": kind != SLIDING and c.flag("attention_k_eq_v"),
    }
    return found.model_copy(update={**more, "cached": True} if both else more)


def experts(c: Settings) -> MoE:
    """Experts whose scores are softmaxed before the choice and made to sum to one after it; `top_k_experts` null reaches none."""
    if c.raw("top_k_experts", noted=False) is None:
        c.assume("top_k_experts", 0, "null by class: no token reaches an expert")
        c = overridden(c, {"top_k_experts": 0})
    return routed(
        c, experts="num_experts", width="moe_intermediate_size", per_token="top_k_experts", storage="stacked",
        router=Router(scoring="softmax", normalise=True, norm=Norm(weight=False, eps=c.number("rms_norm_eps"))),
    )  # fmt: skip


def around_experts(c: Settings, hidden: int) -> list[Projection]:
    """Norms before the experts and after each of the two networks, a scale of the router's input and one a expert of its output."""
    norms = [
        Projection(name=name, shape=[hidden], multiplies=False, component="norm")
        for name in ("mlp_norm_after", "moe_norm_after", "moe_norm")
    ]
    return [
        *norms,
        Projection(name="router_scale", shape=[hidden], multiplies=False, component="router"),
        Projection(name="router_expert_scale", shape=[c.int("num_experts")], multiplies=False, component="router"),
    ]
