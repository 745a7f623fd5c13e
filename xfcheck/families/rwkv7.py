"""RWKV-6 (arXiv 2404.05892) and RWKV-7 (2503.14456) as flash-linear-attention and the published checkpoints in its form have them."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.linear_attention import LinearAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.decoder import causal_model
from ._read.layers import depth
from ._read.published import published, under
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("rwkv6", "rwkv7")
CONFIRMED = dict.fromkeys(MODEL_TYPES, "flash-linear-attention 0.6.0: names and shapes of its models built without storage")

SIZES: dict[str, Any] = {
    "hidden_size": 2048,
    "intermediate_size": None,
    "num_hidden_layers": 24,
    "norm_first": True,
    "norm_bias": True,
    "norm_eps": 1e-5,
    "max_position_embeddings": 2048,
    "attn": None,
    "vocab_size": 32000,
    "tie_word_embeddings": False,
}
SIXTH = published(
    "rwkv6",
    "RWKV6Config",
    "fla/models/rwkv6 of fla-org/flash-linear-attention",
    defaults={
        **SIZES, "hidden_ratio": 3.5, "expand_k": 0.5, "expand_v": 1.0, "num_heads": 4, "proj_low_rank_dim": 32, "gate_low_rank_dim": 64,
    },
    models={"RWKV6ForCausalLM": "causal", "RWKV6Model": "base"},
)  # fmt: skip
SEVENTH = published(
    "rwkv7",
    "RWKV7Config",
    "fla/models/rwkv7 of fla-org/flash-linear-attention",
    defaults={
        **SIZES, "hidden_ratio": 4, "head_dim": 64, "num_heads": None, "decay_low_rank_dim": 64, "gate_low_rank_dim": 128,
        "a_low_rank_dim": 64, "v_low_rank_dim": 16, "value_dim": None,
    },
    models={"RWKV7ForCausalLM": "causal", "RWKV7Model": "base"},
)  # fmt: skip
ROUND = 32
"""Inner widths that the file leaves open are multiples of this."""
MIXED = ("r", "w", "k", "v", "a", "g")
"""What is made from a token and the one before it, each mixed in its own proportion."""

SHARED = {
    "embedding": "model.embeddings",
    "layer": "model.layers.{layer}.",
    "first_norm": "model.layers.0.pre_norm",
    "final_norm": "model.norm",
    "head": "lm_head",
    "attention.norm": "attn_norm",
    "linear_attention.out": "attn.o_proj",
    "linear_attention.gated_norm": "attn.g_norm",
    "feed_forward.norm": "ffn_norm",
    "mlp.down": "ffn.value",
    "embedding_norm": "model.layers.0.pre_norm",
}
SEVENTH_NAMES = Names(
    SHARED
    | {f"attention.mix_{part}": f"attn.x_{part}!" for part in MIXED}
    | {f"attention.{part}_{side}": f"attn.{part}_lora.lora.{at}" for part in "wavg" for side, at in (("down", 0), ("up", 2))}
    | {f"linear_attention.{part}": f"attn.{letter}_proj" for part, letter in (("query", "r"), ("key", "k"), ("value", "v"))}
    | {f"attention.{part}": f"attn.{part}!" for part in ("k_k", "k_a", "r_k")}
    | {"mlp.up": "ffn.key", "feed_forward.mix_key": "ffn.x_k!"}
)
SIXTH_NAMES = Names(
    SHARED
    | {f"attention.mix_{part}": f"attn.{part}_proj.mu!" for part in MIXED}
    | {f"linear_attention.{part}": f"attn.{letter}_proj.linear" for part, letter in (("query", "r"), ("key", "k"), ("value", "v"))}
    | {f"attention.decay_{side}": f"attn.w_proj.linear.lora.{at}" for side, at in (("down", 0), ("up", 2))}
    | {
        "linear_attention.gate": "attn.g_proj.linear",
        "attention.mix_input": "attn.x_proj.0.mu!",
        "attention.mix_down": "attn.x_proj.0.linear",
        "attention.mix_up": "attn.x_proj.2",
        "attention.mix_bias": "attn.x_bias!",
        "attention.bonus": "attn.bonus!",
        "mlp.up": "ffn.key.linear",
        "feed_forward.mix_key": "ffn.key.mu!",
        "feed_forward.mix_receptance": "ffn.receptance.mu!",
        "feed_forward.receptance": "ffn.receptance.linear",
    }
)


def architecture(c: Settings) -> Architecture:
    """A recurrence and a feed-forward network of two matrices in each layer; layer norms, with one more before the first layer."""
    kind = str(c.data.get("model_type"))
    c = under(c, SIXTH if kind == "rwkv6" else SEVENTH)
    if c.mapping("attn") is not None:
        raise c.refuse("attn", "layers of softmax attention among RWKV's are not read", help="without attn, or another type")
    hidden, layers = c.int("hidden_size"), depth(c)
    norm = Norm(kind="layer", eps=c.number("norm_eps"), bias=c.flag("norm_bias"))
    make = _sixth if kind == "rwkv6" else _seventh
    held = {"first": LayerSet.first(1), "rest": LayerSet((range(1, layers),))} if kind == "rwkv7" else {"all": LayerSet.first(layers)}
    blocks = [Block(name=name, layers=of, sublayers=make(c, hidden, norm, first=name == "first")) for name, of in held.items() if len(of)]
    stack = Stack(hidden_size=hidden, blocks=blocks, embedding_norm=norm if c.flag("norm_first") else None, final_norm=norm)
    return causal_model(c, stack).model_copy(update={"naming": kind})


def _inner(c: Settings, hidden: int) -> int:
    given = c.optional_int("intermediate_size", minimum=1)
    return -(-int(hidden * (c.number("hidden_ratio", noted=True) or 4)) // ROUND) * ROUND if given is None else given


def _part(name: str, *shape: int, multiplies: bool = False, bias: bool = False, component: str = "linear_attention") -> Projection:
    return Projection(name=name, shape=list(shape), multiplies=multiplies, bias=bias, component=component)


def _low_rank(name: str, rank: int, hidden: int, wide: int, *, bias: bool = True) -> list[Projection]:
    return [_part(f"{name}_down", rank, hidden, multiplies=True), _part(f"{name}_up", wide, rank, multiplies=True, bias=bias)]


def _heads(c: Settings, hidden: int) -> tuple[int, int]:
    """(heads, width of one): either from the other."""
    width, heads = c.optional_int("head_dim", minimum=1), c.optional_int("num_heads", minimum=1)
    if width is None and heads is None:
        raise c.refuse("head_dim", "neither head_dim nor num_heads is given")
    heads = heads or hidden // (width or 1)
    width = width or hidden // heads
    if heads * width != hidden:
        raise c.refuse("num_heads", f"{heads} heads of {width} are not the width {hidden}", code="XF102")
    return heads, width


def _seventh(c: Settings, hidden: int, norm: Norm, *, first: bool) -> list[Sublayer]:
    """RWKV-7's layer; the first has no share in the first layer's values."""
    heads, width = _heads(c, hidden)
    if c.raw("value_dim", noted=False) not in (None, hidden) and c.raw("value_dim") != [hidden] * depth(c):
        c.assume("value_dim", None, "values are read as wide as the model", estimated=True)
    mixer = LinearAttention(
        heads=heads,
        kv_heads=heads,
        key_dim=width,
        value_dim=width,
        gated_norm=Norm(kind="layer", bias=True, size=hidden),
        delta=True,
    )
    ranks = {"w": "decay_low_rank_dim", "a": "a_low_rank_dim", "g": "gate_low_rank_dim"} | ({} if first else {"v": "v_low_rank_dim"})
    parts = [_part(f"mix_{letter}", 1, 1, hidden) for letter in MIXED]
    parts += [_part("k_k", hidden), _part("k_a", hidden), _part("r_k", heads, width)]
    for letter, key in ranks.items():
        parts += _low_rank(letter, c.optional_int(key, minimum=1) or _usual_rank(hidden, width, letter), hidden, hidden, bias=letter != "g")
    feed = MLP(intermediate_size=_inner(c, hidden), activation="relu2", gated=False)
    return [
        Sublayer(name="attention", mixers=[mixer], norm=norm, projections=parts),
        Sublayer(name="feed_forward", mixers=[feed], norm=norm, projections=[_part("mix_key", hidden, component="mlp")]),
    ]


def _usual_rank(hidden: int, width: int, letter: str) -> int:
    """The rank where the file writes null: a multiple of 32 that grows with the square root of the width, and with that of a head."""
    factor = {"w": 2.5, "a": 2.5, "v": 1.7, "g": 5.0}[letter] * (1.0 if letter == "g" else width / 64)
    return max(ROUND, round(factor * sqrt(hidden) / ROUND) * ROUND)


def _sixth(c: Settings, hidden: int, norm: Norm, *, first: bool) -> list[Sublayer]:
    """RWKV-6's layer: the proportions of mixing come from the token, through a map of low rank."""
    del first
    heads, mixed = c.int("num_heads"), c.int("proj_low_rank_dim") * 5
    keys, values = (round(hidden * (c.number(key, noted=True) or 1)) for key in ("expand_k", "expand_v"))
    if keys % heads or values % heads:
        raise c.refuse("num_heads", f"{heads} heads do not divide keys of {keys} and values of {values}", code="XF102")
    mixer = LinearAttention(
        heads=heads,
        kv_heads=heads,
        key_dim=keys // heads,
        value_dim=values // heads,
        gate=True,
        gated_norm=Norm(kind="layer", bias=True, size=values),
    )
    parts = [_part("mix_input", hidden), *_low_rank("mix", mixed, hidden, hidden, bias=False), _part("mix_bias", 5, hidden)]
    parts += [*_low_rank("decay", c.int("gate_low_rank_dim"), hidden, keys), _part("bonus", heads, keys // heads)]
    feed = MLP(intermediate_size=_inner(c, hidden), activation="relu2", gated=False)
    around = [_part(f"mix_{part}", hidden, component="mlp") for part in ("key", "receptance")]
    around.append(_part("receptance", hidden, hidden, multiplies=True, component="mlp"))
    return [
        Sublayer(name="attention", mixers=[mixer], norm=norm, projections=parts),
        Sublayer(name="feed_forward", mixers=[feed], norm=norm, projections=around),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, SIXTH_NAMES if a.naming == "rwkv6" else SEVENTH_NAMES)
