"""A decoder read off its sizes alone, whatever its class: what the file leaves open is assumed, and said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Stack, Sublayer
from ...architecture.layers import LayerSet
from ...architecture.masks import CAUSAL, Mask
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.mlp import MLP
from ...architecture.mixers.moe import MoE, Router
from ...architecture.norm import Norm
from ...architecture.positions.biases import Alibi
from ...architecture.positions.tables import Learned
from ...problems import Refused
from .decoder import QKV, QKVO, causal_model, quotient
from .latent import latent
from .layers import crossed, depth
from .rotary import rotary

if TYPE_CHECKING:
    from ...architecture.mixers.latent_attention import LatentAttention
    from ...architecture.model import Architecture
    from ...architecture.part import Part
    from .decoder import Biased
    from .settings import Settings

GATED = ("silu", "swish", "swiglu", "geglu", "gegelu", "reglu", "glu", "silu_and_mul")
"""Activations that stand in a gated network in every published model that names them so."""

RATIOS = ("hidden_ratio", "mlp_ratio", "expansion_ratio", "ffn_ratio", "ffn_mult", "mlp_expansion_factor")
QKV_BIAS = ("qkv_bias", "add_qkv_bias", "use_qkv_bias", "attention_qkv_bias", "attn_qkv_bias")
ALL_BIAS = ("use_bias", "bias", "add_bias_linear", "use_bias_in_linear", "add_bias")
HEAD_NORMS = ("use_qk_norm", "qk_norm", "qk_layernorm", "use_qk_layernorm")


def decoder(c: Settings) -> Architecture:
    """Pre-norm residual steps of attention and feed-forward network. Raises Refused XF101 for a size that the file does not give."""
    hidden, layers = c.int("hidden_size"), depth(c)
    norm, gated = _norm(c), _gated(c)
    position, table = _positions(c, norm)
    attention = _attention(c, hidden, norm, position)
    feeds = _feeds(c, hidden, layers, gated=gated, norm=norm)
    blocks = []
    for (mask, feed), held in crossed(_masks(c, layers), feeds).items():
        mixer = attention.model_copy(update={"mask": Mask(kind="sliding", window=mask) if mask else CAUSAL})
        steps = [Sublayer(name="attention", mixers=[mixer], norm=norm), Sublayer(name="feed_forward", mixers=[feed], norm=norm)]
        blocks.append(Block(name=f"{feed.kind}_{mask or 'all'}", layers=held, sublayers=steps))
    tied = c.flag("tie_word_embeddings")
    if c.raw("tie_word_embeddings") is None:
        _guess(c, "tie_word_embeddings", False, "the head is taken to have a matrix of its own")
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm), tied=tied, position=table)


def _guess(c: Settings, key: str, value: object, why: str) -> None:
    c.assume(key, value, why, estimated=True)


def _norm(c: Settings) -> Norm:
    """Layer norms where the file speaks of them, else RMS norms."""
    if c.found("rms_norm_eps") == "rms_norm_eps" or c.raw("rmsnorm") is True:
        return Norm(eps=c.number("rms_norm_eps"))
    if (
        c.data.get("norm_eps") is None
        and (c.has("layer_norm_eps") or c.found("rms_norm_eps") in ("layernorm_epsilon", "layernorm_eps"))
        and not _glu(c)
    ):
        _guess(c, "layer_norm_eps", c.raw("layer_norm_eps"), "norms are taken to be layer norms with weight and bias")
        return Norm(kind="layer", eps=c.number("layer_norm_eps"), bias=True)
    _guess(c, "rms_norm_eps", c.raw("rms_norm_eps"), "norms are taken to be RMS norms with a weight")
    return Norm(eps=c.number("rms_norm_eps"))


def _glu(c: Settings) -> bool:
    return (c.text("hidden_act") or "").lower() in GATED


def _gated(c: Settings) -> bool:
    """Whether the feed-forward network has a gate: a switch, else by the activation."""
    for key in ("is_gated_act", "use_glu", "gated_mlp", "glu", "use_gated_mlp", "gated_linear_unit"):
        if isinstance(c.data.get(key), bool):
            return c.flag(key)
    act = c.text("hidden_act")
    gated = True if act is None else _glu(c)
    _guess(c, "hidden_act", act, f"the feed-forward network is taken to {'be gated' if gated else 'have two matrices'}")
    return gated


def _positions(c: Settings, norm: Norm) -> tuple[str, Learned | None]:
    """(what attention knows of positions, a table of them). Rotary unless the file says otherwise."""
    kind = c.data.get("position_embedding_type")
    if kind == "alibi" or c.data.get("alibi") is True or c.data.get("use_alibi") is True:
        return "alibi", None
    turning = any(
        key in c.data for key in ("rope_theta", "rope_scaling", "rope_parameters", "rotary_dim", "rotary_pct", "partial_rotary_factor")
    ) or c.has("rope_theta")
    rows = c.optional_int("max_position_embeddings")
    if rows and not turning and (norm.kind == "layer" or kind in ("absolute", "learned")):
        _guess(c, "max_position_embeddings", rows, "positions are taken to be rows of a trained table")
        return "none", Learned(rows=rows)
    if not turning:
        _guess(c, "rope_theta", None, "positions are taken to be rotary, without weights")
    return "rotary", None


def _attention(c: Settings, hidden: int, norm: Norm, position: str) -> Attention | LatentAttention:
    if c.raw("kv_lora_rank") is not None:
        return latent(c)
    heads = c.int("num_attention_heads")
    kv = c.optional_int("num_key_value_heads", minimum=1)
    if kv is None:
        kv = 1 if c.data.get("multi_query") is True or (c.data.get("multi_query_attention") is True) else heads
        _guess(c, "num_key_value_heads", kv, "one key-value head" if kv == 1 and heads > 1 else "as many key-value heads as query heads")
    width = c.optional_int("head_dim", minimum=1) or quotient(c, hidden, heads)
    encoded: Part | None = rotary(c, width) if position == "rotary" else Alibi() if position == "alibi" else None
    head_norm = Norm(eps=norm.eps) if any(c.data.get(key) is True for key in HEAD_NORMS) else None
    return Attention(
        query_heads=heads, kv_heads=kv, head_dim=width, biases=_biases(c, norm), query_norm=head_norm, key_norm=head_norm, position=encoded
    )


def _biases(c: Settings, norm: Norm) -> list[Biased]:
    """The attention's biases by a switch of any name; without one, those of GPT-2 under layer norms, of Llama under RMS norms."""
    if any(c.data.get(key) is True for key in QKV_BIAS):
        return QKV
    for key in ("attention_bias", *ALL_BIAS):
        if isinstance(c.data.get(key), bool):
            return QKVO if c.flag(key) else []
    if c.data.get("no_bias") is True or any(c.data.get(key) is False for key in QKV_BIAS):
        return []
    made = QKVO if norm.kind == "layer" else []
    _guess(c, "attention_bias", bool(made), "projections are taken to have " + ("biases" if made else "no biases"))
    return list(made)


def _forward_bias(c: Settings, norm: Norm) -> bool:
    for key in ("mlp_bias", *ALL_BIAS):
        if isinstance(c.data.get(key), bool):
            return c.flag(key)
    return norm.kind == "layer" and c.data.get("no_bias") is not True


def _masks(c: Settings, layers: int) -> dict[int | None, LayerSet]:
    """Window -> layers: by `layer_types` where the file lists them, one window for all where it gives only that."""
    window = c.optional_int("sliding_window")
    kinds = c.data.get("layer_types")
    if not window or c.data.get("use_sliding_window") is False:
        return {None: LayerSet.first(layers)}
    if isinstance(kinds, list) and len(kinds) >= layers:
        sliding = LayerSet.of(i for i in range(layers) if kinds[i] == "sliding_attention")
        rest = LayerSet.of(i for i in range(layers) if kinds[i] != "sliding_attention")
        return {key: held for key, held in ((window, sliding), (None, rest)) if len(held)}
    _guess(c, "sliding_window", window, "every layer is taken to have this window")
    return {window: LayerSet.first(layers)}


def _inner(c: Settings, hidden: int, *, gated: bool) -> int:
    """The width of the feed-forward network. Raises Refused XF101 where neither it nor a ratio is given and it has a gate."""
    given = c.optional_int("intermediate_size", minimum=1)
    if given is not None:
        return given
    for key in RATIOS:
        ratio = c.number(key, noted=True)
        if ratio is not None:
            _guess(c, key, ratio, f"the feed-forward network is taken to be {ratio:g} times as wide as the model")
            return int(ratio * hidden)
    if gated:
        raise Refused(
            "needs the key 'intermediate_size': a gated network has no usual width",
            code="XF101",
            pointer=c.at("intermediate_size"),
            help='write "intermediate_size"',
        )
    _guess(c, "intermediate_size", 4 * hidden, "four times the width, as in GPT-2")
    return 4 * hidden


def _feeds(c: Settings, hidden: int, layers: int, *, gated: bool, norm: Norm) -> dict[MLP | MoE, LayerSet]:
    """The dense layers and those with experts."""
    bias, act = _forward_bias(c, norm), c.text("hidden_act") or "silu"
    count = c.optional_int("num_experts")
    if not count or count < 2:
        return {
            MLP(intermediate_size=_inner(c, hidden, gated=gated), activation=act, gated=gated, bias=bias, output_bias=bias): LayerSet.first(
                layers
            )
        }
    first = min(c.optional_int("first_k_dense_replace") or 0, layers)
    sparse = _experts(c, hidden, count, gated=gated, activation=act)
    made: dict[MLP | MoE, LayerSet] = {}
    if first:
        made[MLP(intermediate_size=_inner(c, hidden, gated=gated), activation=act, gated=gated, bias=bias, output_bias=bias)] = LayerSet(
            (range(first),)
        )
    if first < layers:
        made[sparse] = LayerSet((range(first, layers),))
    return made


def _experts(c: Settings, hidden: int, count: int, *, gated: bool, activation: str) -> MoE:
    chosen = c.int("num_experts_per_tok")
    width = c.optional_int("moe_intermediate_size", minimum=1)
    if width is None:
        width = _inner(c, hidden, gated=gated)
        _guess(c, "moe_intermediate_size", width, "an expert is taken to be as wide as a dense network")
    shared = c.optional_int("num_shared_experts") or 0
    shared_width = c.optional_int("shared_expert_intermediate_size") or 0
    if shared and not shared_width:
        shared_width = shared * width
        _guess(c, "shared_expert_intermediate_size", shared_width, "shared experts are taken to be as wide as routed ones")
    _guess(c, "num_experts", count, "every layer behind the dense ones is taken to have experts, and a router without bias")
    return MoE(
        experts=count, experts_per_token=chosen, expert=MLP(intermediate_size=width, activation=activation, gated=gated),
        shared=MLP(intermediate_size=shared_width, activation=activation, gated=gated) if shared_width else None,
        shared_experts=shared or int(bool(shared_width)), router=Router(),
    )  # fmt: skip
