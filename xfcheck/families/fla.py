"""Models of flash-linear-attention (fla-org/flash-linear-attention): a Transformer, linear attention of several kinds, Samba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.decoder import causal_model
from ._read.layers import depth
from ._read.linear_attention import own_mixer, soft_attention
from ._read.published import like, published, under
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import mamba

if TYPE_CHECKING:
    from ..architecture.mixers.attention import Attention
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._classes import ClassTable

MODEL_TYPES = ("transformer", "gla", "gsa", "delta_net", "gated_deltanet", "retnet", "hgrn2", "samba")
ROUND = 256
"""The inner width, where the file gives none, is two thirds of `hidden_ratio` widths rounded up to a multiple of this."""
GATE_RANK = 16

SIZES: dict[str, Any] = {
    "hidden_size": 2048,
    "num_hidden_layers": 24,
    "hidden_ratio": 4,
    "intermediate_size": None,
    "num_kv_heads": None,
    "norm_eps": 1e-6,
    "elementwise_affine": True,
    "max_position_embeddings": 2048,
    "attn": None,
    "vocab_size": 32000,
    "tie_word_embeddings": False,
}


def _class(model_type: str, class_name: str, **own: Any) -> ClassTable:
    return published(
        model_type,
        f"{class_name}Config",
        f"fla/models/{model_type} of fla-org/flash-linear-attention",
        defaults=SIZES | own,
        aliases={"num_attention_heads": "num_heads", "num_key_value_heads": "num_kv_heads"},
        models={f"{class_name}ForCausalLM": "causal"},
    )


TABLES = {
    "transformer": _class("transformer", "Transformer", num_heads=32, qkv_bias=False, qk_norm=False, window_size=None),
    "gla": _class("gla", "GLA", num_heads=4, expand_k=0.5, expand_v=1, use_short_conv=False, conv_size=4, use_output_gate=True),
    "gsa": _class("gsa", "GSA", num_heads=4, num_slots=64, use_short_conv=False, conv_size=4),
    "delta_net": _class(
        "delta_net", "DeltaNet", num_heads=16, expand_k=1, expand_v=1, use_gate=False, use_beta=True, use_short_conv=True, conv_size=4
    ),
    "gated_deltanet": _class(
        "gated_deltanet",
        "GatedDeltaNet",
        num_hidden_layers=21,
        num_heads=6,
        num_v_heads=None,
        head_dim=256,
        expand_v=2,
        use_gate=True,
        use_short_conv=True,
        conv_size=4,
    ),
    "retnet": _class(
        "retnet", "RetNet", num_heads=8, expand_k=1, expand_v=2, hidden_ratio=2, use_short_conv=False, conv_size=4, use_output_gate=True
    ),
    "hgrn2": _class("hgrn2", "HGRN2", num_heads=None, expand_ratio=128, use_lower_bound=True, use_short_conv=False, conv_size=4),
    "samba": _class(
        "samba",
        "Samba",
        hidden_size=2304,
        num_hidden_layers=18,
        state_size=16,
        expand=2,
        conv_kernel=4,
        use_bias=False,
        use_conv_bias=True,
        time_step_rank="auto",
        hidden_act="swish",
        norm_eps=1e-5,
    ),
}

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
        "attention.forget_a": "attn.gk_proj.0",
        "attention.forget_b": "attn.gk_proj.1",
        "lower_bounds": "model.lower_bounds!",
    }
)
OWN = {
    "gla": {"linear_attention.gated_norm": "attn.g_norm_swish_gate"},
    "retnet": {"linear_attention.gated_norm": "attn.g_norm_swish_gate"},
    "gsa": {"linear_attention.gated_norm": "attn.g_norm"},
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
    like(c, "read from the published class: no total that is known confirms it")
    c = under(c, TABLES[kind])
    hidden, layers, norm = c.int("hidden_size"), depth(c), Norm(eps=c.number("norm_eps"))
    mixer, beside = own_mixer(c, kind, hidden)
    forward = Sublayer(name="feed_forward", mixers=[MLP(intermediate_size=_inner(c, kind, hidden))], norm=norm)
    own = Sublayer(name="attention", mixers=[mixer], norm=norm, projections=beside)
    soft, among = _softmax(c, kind, hidden)
    held = {"softmax": LayerSet.of(i for i in among if i < layers), "own": LayerSet.of(i for i in range(layers) if i not in among)}
    first = {"softmax": Sublayer(name="attention", mixers=[soft] if soft else [], norm=norm), "own": own}
    blocks = [Block(name=name, layers=of, sublayers=[first[name], forward]) for name, of in held.items() if len(of)]
    made = causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))
    bounds = [Projection(name="lower_bounds", shape=[layers, hidden], multiplies=False, component="linear_attention")]
    return made.model_copy(update={"naming": kind, "projections": bounds if kind == "hgrn2" and c.flag("use_lower_bound") else []})


def _inner(c: Settings, kind: str, hidden: int) -> int:
    given = None if kind == "samba" else c.optional_int("intermediate_size", minimum=1)
    if given is not None:
        return given
    wide = int(hidden * (c.number("hidden_ratio", noted=True) or 4) * 2 / 3)
    return -(-wide // ROUND) * ROUND


def _softmax(c: Settings, kind: str, hidden: int) -> tuple[Attention | None, set[int]]:
    """The attention of a hybrid's named layers, and which they are."""
    nested = c.mapping("attn")
    if nested is None:
        return None, set()
    inner = Settings(nested, None, pointer=c.at("attn"), reading=c.reading)
    among = inner.list("layers") or []
    window = inner.optional_int("window_size", minimum=1)
    heads = inner.int("num_heads")
    return soft_attention(c, hidden, heads, inner.optional_int("num_kv_heads") or heads, window, bias=inner.flag("qkv_bias")), {
        i for i in among if isinstance(i, int) and not isinstance(i, bool) and i >= 0
    }


GROUPED = {
    f"gated_delta.{part}": name
    for part, name in (
        ("query", "attn.q_proj"),
        ("key", "attn.k_proj"),
        ("value", "attn.v_proj"),
        ("gate", "attn.g_proj"),
        ("beta", "attn.b_proj"),
        ("step", "attn.a_proj"),
        ("query_conv", "attn.q_conv1d"),
        ("key_conv", "attn.k_conv1d"),
        ("value_conv", "attn.v_conv1d"),
        ("dt_bias", "attn.dt_bias!"),
        ("decay", "attn.A_log!"),
        ("gated_norm", "attn.o_norm"),
        ("out", "attn.o_proj"),
    )
}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint; a gate's norm has another name than a norm alone."""
    names = NAMES.but(GROUPED | OWN.get(a.naming or "", {}))
    gated = any(getattr(m, "gate", True) for b in a.main.blocks for s in b.sublayers for m in s.mixers if m.kind == "linear_attention")
    if a.naming in ("gla", "retnet") and not gated:
        names = names.but({"linear_attention.gated_norm": "attn.g_norm"})
    return model(a, names)
