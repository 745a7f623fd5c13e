"""Models of flash-linear-attention (fla-org/flash-linear-attention): a Transformer, linear attention of several kinds, Samba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.decoder import causal_model
from ._read.fla_soft import soft_attention
from ._read.fla_tables import TABLES
from ._read.layers import depth
from ._read.linear_attention import own_mixer
from ._read.published import under
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import mamba

if TYPE_CHECKING:
    from ..architecture.mixers.attention import Attention
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = tuple(TABLES)
CONFIRMED = dict.fromkeys(TABLES, "flash-linear-attention 0.6.0: names and shapes of its models built without storage")
ROUND = 256
"""The inner width, where the file gives none, is two thirds of `hidden_ratio` widths rounded up to a multiple of this."""
SAMBA_HEADS, SAMBA_WINDOW = 18, 2048
"""Attention of every second layer, where a Samba file has no `attn`."""

NAMES = LLAMA.but(
    {
        "embedding": "model.embeddings",
        "attention.norm": "attn_norm",
        "feed_forward.norm": "mlp_norm",
        "attention.query": "attn.q_proj",
        "attention.key": "attn.k_proj",
        "attention.value": "attn.v_proj",
        "attention.output": "attn.o_proj",
        "attention.query_norm": "attn.q_norm",
        "attention.key_norm": "attn.k_norm",
        "linear_attention.query": "attn.q_proj",
        "linear_attention.key": "attn.k_proj",
        "linear_attention.value": "attn.v_proj",
        "linear_attention.gate": "attn.g_proj",
        "linear_attention.query_conv": "attn.q_conv1d",
        "linear_attention.key_conv": "attn.k_conv1d",
        "linear_attention.value_conv": "attn.v_conv1d",
        "linear_attention.out": "attn.o_proj",
        "linear_attention.gated_norm": "attn.o_norm",
        "attention.rate": "attn.b_proj",
        "attention.step": "attn.a_proj",
        "attention.decay": "attn.A_log!",
        "attention.dt_bias": "attn.dt_bias!",
        "attention.forget": "attn.f_proj",
        "attention.gate": "attn.g_proj",
        "attention.gate_a": "attn.g_proj.0",
        "attention.gate_b": "attn.g_proj.1",
        "attention.decay_a": "attn.f_proj.0",
        "attention.decay_b": "attn.f_proj.1",
        "attention.slots": "attn.s_proj",
        "attention.inner_decay": "attn.decay!",
        "attention.correction": "attn.D!",
        "attention.regularizer": "attn.lambda_params!",
        "attention.inner_norm": "attn.o_norm",
        "attention.branches": "attn.g_proj",
        "attention.map": "attn.w_proj",
        "attention.map_a": "attn.w_proj.0",
        "attention.map_b": "attn.w_proj.1",
        "attention.map_conv": "attn.w_conv1d",
        "attention.forget_gate": "attn.g_proj",
        "attention.query_map1": "attn.feature_map_q.layer1",
        "attention.query_map2": "attn.feature_map_q.layer2",
        "attention.key_map1": "attn.feature_map_k.layer1",
        "attention.key_map2": "attn.feature_map_k.layer2",
        "attention.forget_a": "attn.gk_proj.0",
        "attention.forget_b": "attn.gk_proj.1",
        "lower_bounds": "model.lower_bounds!",
    }
)
LATENT = {"": "", "_a": ".0", "_norm": ".1", "_b": ".2"}
"""Parts of a map of low rank, with a norm inside -> their places in its module."""
OWN = {
    "mla": {
        **{f"latent_attention.query{part}": f"attn.q_proj{place}" for part, place in LATENT.items()},
        **{f"latent_attention.kv{part}": f"attn.kv_proj{place}" for part, place in LATENT.items()},
        "latent_attention.rope_key": "attn.k_rope",
        "latent_attention.output": "attn.o_proj",
    },
    "raven": {
        "linear_attention.gate": "attn.o_gate_proj",
        "linear_attention.gated_norm": "attn.g_norm",
        "attention.router": "attn.r_proj",
        "attention.router_a": "attn.r_proj.0",
        "attention.router_b": "attn.r_proj.2",
        "attention.router_bias": "attn.r_bias!",
        "attention.feature": "attn.feature_map.layer",
    },
    "gla": {"linear_attention.gated_norm": "attn.g_norm_swish_gate"},
    "retnet": {"linear_attention.gated_norm": "attn.g_norm_swish_gate"},
    "gsa": {"linear_attention.gated_norm": "attn.g_norm"},
    "abc": {"linear_attention.gated_norm": "attn.g_norm"},
    "lightnet": {"linear_attention.gated_norm": "attn.g_norm"},
    "linear_attn": {"linear_attention.gated_norm": "attn.norm"},
    "path_attn": {"attention.rate": "attn.bt_proj"},
    "hgrn": {
        "linear_attention.gated_norm": "attn.g_norm",
        **{f"linear_attention.{part}": f"attn.{name}_proj" for part, name in (("query", "i"), ("key", "f"), ("value", "g"))},
        **{f"linear_attention.{part}_conv": f"attn.{name}_conv1d" for part, name in (("query", "i"), ("key", "f"))},
    },
    "hgrn2": {
        "linear_attention.gated_norm": "attn.g_norm",
        "linear_attention.key": "attn.f_proj",
        "linear_attention.value": "attn.i_proj",
        "linear_attention.key_conv": "attn.f_conv1d",
        "linear_attention.value_conv": "attn.i_conv1d",
    },
    "samba": {
        "embedding": "backbone.embeddings",
        "layer": "backbone.layers.{layer}.",
        "final_norm": "backbone.norm_f",
        "attention.norm": "mixer_norm",
        **{f"attention.{part}": f"mixer.{letter}_proj" for part, letter in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o"))},
        **mamba("mixer"),
    },
}


def architecture(c: Settings) -> Architecture:
    """Layers named in `attn` are softmax attention, the others of the type's own kind; a gated network in each."""
    kind = str(c.data.get("model_type"))
    c = under(c, TABLES[kind])
    if c.raw("attnres_block_size", noted=False) is not None:
        c.assume("attnres_block_size", c.raw("attnres_block_size"), "attention over depth is not counted", estimated=True)
    hidden, layers, norm = c.int("hidden_size"), depth(c), Norm(eps=c.number("norm_eps"))
    mixer, beside = own_mixer(c, kind, hidden)
    forward = Sublayer(name="feed_forward", mixers=[MLP(intermediate_size=_inner(c, kind, hidden))], norm=norm)
    own = Sublayer(name="attention", mixers=[mixer], norm=norm, projections=beside)
    soft, among = _softmax(c, kind, hidden, layers)
    held = {"softmax": LayerSet.of(i for i in among if i < layers), "own": LayerSet.of(i for i in range(layers) if i not in among)}
    first = {"softmax": Sublayer(name="attention", mixers=[soft] if soft else [], norm=norm), "own": own}
    blocks = [Block(name=name, layers=of, sublayers=[first[name], forward]) for name, of in held.items() if len(of)]
    made = causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))
    wide = int(hidden * (c.number("expand_ratio") or 1)) if kind == "hgrn" else hidden
    bounds = [Projection(name="lower_bounds", shape=[layers, wide], multiplies=False, component="linear_attention")]
    return made.model_copy(
        update={"naming": kind, "projections": bounds if kind in ("hgrn", "hgrn2") and c.flag("use_lower_bound") else []}
    )


def _inner(c: Settings, kind: str, hidden: int) -> int:
    given = None if kind == "samba" else c.optional_int("intermediate_size", minimum=1)
    if given is not None:
        return given
    wide = int(hidden * (c.number("hidden_ratio", noted=True) or 4) * 2 / 3)
    return -(-wide // ROUND) * ROUND


def _softmax(c: Settings, kind: str, hidden: int, layers: int) -> tuple[Attention | None, set[int]]:
    """The attention of a hybrid's named layers, and which they are. Types that are softmax throughout have no such object."""
    nested = c.mapping("attn")
    if nested is None:
        if kind != "samba" or c.has("attn"):
            return None, set()
        c.assume("attn", None, "the class's own: every second layer")
        return soft_attention(c, hidden, SAMBA_HEADS, SAMBA_HEADS, SAMBA_WINDOW, bias=False), set(range(1, layers, 2))
    inner = Settings(nested, None, pointer=c.at("attn"), reading=c.reading)
    among = inner.list("layers") or []
    window = inner.optional_int("window_size", minimum=1)
    heads = inner.int("num_heads")
    groups = inner.optional_int("num_kv_heads") or heads
    return soft_attention(c, hidden, heads, groups, window, bias=inner.flag("qkv_bias")), {
        i for i in among if isinstance(i, int) and not isinstance(i, bool) and i >= 0
    }


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint; a gate's norm has another name than a norm alone."""
    names = NAMES.but(OWN.get(a.naming or "", {}))
    gated = any(getattr(m, "gate", True) for b in a.main.blocks for s in b.sublayers for m in s.mixers if m.kind == "linear_attention")
    if a.naming in ("gla", "retnet") and not gated:
        names = names.but({"linear_attention.gated_norm": "attn.g_norm"})
    if a.naming == "raven" and gated:
        names = names.but({"linear_attention.gated_norm": "attn.o_norm"})
    return model(a, names)
