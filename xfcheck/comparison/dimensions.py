"""The dimensions of a model that `--vary` knows by name: how configs say them, and the edit of the architecture where their keys cannot.

A set of keys is the right one where the config, read again with it, has the dimension that was asked for; no table says which family has
which key.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from ..problems import Refused, Usage
from . import attention, windows
from .parts import ATTENTION, attentions, changed, of_kind, redeepened, resized, rewidened, stacks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..architecture.model import Architecture
    from .keys import Keys


class Dimension(NamedTuple):
    """`read` turns the text of a value into what the others take.

    `reached`: whether an architecture has it. `candidates`: keys that may say it, given the architecture as it is. `edited`: the
    architecture with it. `edited_if_refused`: a class that refuses the keys says nothing of the dimension (it takes no null for its
    window), where for a size its refusal is the answer.
    """

    read: Callable[[str], Any]
    reached: Callable[[Architecture, Any], bool]
    candidates: Callable[[Architecture, Any], list[Keys]]
    edited: Callable[[Architecture, Any], Architecture]
    edited_if_refused: bool = False


def whole(text: str) -> int:
    """A whole number. Raises Usage."""
    if not text.isdecimal():
        raise Usage(f"{text!r} is no whole number")
    return int(text)


def experts(text: str) -> tuple[int, int | None]:
    """`64:6`: 64 experts of which 6 serve a token; `64`: as many a token as before. Raises Usage."""
    many, colon, each = text.partition(":")
    if not many.isdecimal() or (colon and not each.isdecimal()):
        raise Usage(f"experts={text}: write 64:6 for 64 experts of which 6 serve a token")
    return int(many), int(each) if colon else None


def _keys(*names: str) -> Callable[[Architecture, Any], list[Keys]]:
    """One candidate a name; `a+b` sets both keys."""
    return lambda a, value: [dict.fromkeys(name.split("+"), value) for name in names]


def _each(a: Architecture, kinds: tuple[str, ...], field: str, value: Any) -> Architecture:
    """One field of every mixer of these kinds. Raises Refused where there is none."""
    if not of_kind(a, *kinds):
        raise Refused(f"no layer has {' or '.join(kinds).replace('_', ' ')} to vary", code="usage")
    return changed(a, lambda spec: spec.model_copy(update={field: value}) if spec.kind in kinds else spec)


def _all(found: list[Any], field: str, value: Any) -> bool:
    return bool(found) and all(getattr(spec, field) == value for spec in found)


def _layers(a: Architecture, depth: int) -> Architecture:
    deeper = redeepened(a, depth) if depth >= 1 else None
    if deeper is None:
        raise Refused(f"{depth} layers: at least 1 is needed, and a pattern of layers that goes on", code="XF117" if depth < 1 else "usage")
    return deeper


def _heads(a: Architecture, heads: int) -> Architecture:
    def change(spec: Any) -> Any:
        if spec.kind not in (*ATTENTION, "latent_attention"):
            return spec
        alike = getattr(spec, "kv_heads", None) == spec.query_heads
        return spec.model_copy(update={"query_heads": heads, **({"kv_heads": heads} if alike else {})})

    return changed(a, change)


def _expert_count(a: Architecture, value: tuple[int, int | None]) -> Architecture:
    """A dense model gets experts that are each as wide as its feed-forward network was."""
    from ..architecture.mixers.moe import MoE

    many, each = value
    moes = of_kind(a, "moe")

    def change(spec: Any) -> Any:
        if spec.kind == "moe":
            return spec.model_copy(update={"experts": many, "experts_per_token": spec.experts_per_token if each is None else each})
        if moes or spec.kind != "mlp":
            return spec
        return MoE(experts=many, experts_per_token=1 if each is None else each, expert=spec)

    if not moes and not of_kind(a, "mlp"):
        raise Refused("no layer has a feed-forward network to make experts of", code="usage")
    return changed(a, change)


def _expert_keys(a: Architecture, value: tuple[int, int | None]) -> list[Keys]:
    many, each = value
    counts = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "ffn_config/moe_num_experts")
    chosen = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "top_k_experts", "ffn_config/moe_top_k")
    return [{count: many} for count in counts] if each is None else [{count: many, k: each} for count, k in product(counts, chosen)]


def _expert_size(a: Architecture, size: int) -> Architecture:
    if not of_kind(a, "moe"):
        raise Refused("no layer has experts", code="usage")
    return changed(
        a, lambda s: s.model_copy(update={"expert": s.expert.model_copy(update={"intermediate_size": size})}) if s.kind == "moe" else s
    )


def _vocabulary(a: Architecture, rows: int) -> Architecture:
    if a.embedding is None:
        raise Refused("the model has no token table", code="usage")
    head = a.head if not a.head.rows else a.head.model_copy(update={"rows": rows})
    return a.model_copy(update={"embedding": a.embedding.model_copy(update={"rows": rows}), "head": head})


DIMENSIONS: dict[str, Dimension] = {
    "layers": Dimension(
        whole,
        lambda a, n: all(s.depth == n for s in stacks(a)),
        _keys("encoder_layers+decoder_layers", "num_layers+num_decoder_layers", "num_hidden_layers", "num_layers", "n_layer", "n_layers"),
        _layers,
    ),
    "hidden": Dimension(
        whole, lambda a, n: all(s.hidden_size == n for s in stacks(a)), _keys("hidden_size", "d_model", "n_embd", "dim",
        "hidden_dim"), rewidened
    ),
    "heads": Dimension(
        whole,
        lambda a, n: _all([*attentions(a), *of_kind(a, "latent_attention")], "query_heads", n),
        _keys("encoder_attention_heads+decoder_attention_heads", "num_attention_heads", "num_heads", "n_head", "n_heads"),
        _heads,
    ),
    "head_dim": Dimension(
        whole,
        lambda a, n: _all(attentions(a), "head_dim", n),
        _keys("head_dim", "d_kv", "attention_head_dim", "kv_channels"),
        lambda a, n: _each(a, ATTENTION, "head_dim", n),
    ),
    "vocab": Dimension(whole, lambda a, n: a.embedding is not None and a.embedding.rows == n, _keys("vocab_size"), _vocabulary),
    "experts": Dimension(
        experts,
        lambda a, v: _all(of_kind(a, "moe"), "experts", v[0]) and (v[1] is None or _all(of_kind(a, "moe"), "experts_per_token", v[1])),
        _expert_keys,
        _expert_count,
    ),
    "d_ff": Dimension(
        whole,
        lambda a, n: _all(of_kind(a, "mlp"), "intermediate_size", n),
        _keys("intermediate_size", "encoder_ffn_dim+decoder_ffn_dim", "ffn_dim", "d_ff", "n_inner", "ffn_hidden_size", "hidden_dim"),
        lambda a, n: _each(a, ("mlp",), "intermediate_size", n),
    ),
    "expert_size": Dimension(
        whole,
        lambda a, n: _all([s.expert for s in of_kind(a, "moe")], "intermediate_size", n),
        _keys("moe_intermediate_size", "expert_ffn_hidden_size", "ffn_config/ffn_hidden_size", "intermediate_size"),
        _expert_size,
    ),
    "kv_heads": Dimension(
        lambda text: attention.Style(whole(text)), attention.reached, attention.candidates, attention.edited
    ),
    "attention": Dimension(attention.style, attention.reached, attention.candidates, attention.edited),
    "window": Dimension(windows.width, windows.reached, windows.candidates, windows.edited, edited_if_refused=True),
}  # fmt: skip
"""In the order in which the edits of one variant are made, whatever their order on the command line: a width before what hangs on it."""

SPELLINGS = {"query_heads": "heads", "intermediate": "d_ff", "vocabulary": "vocab", "depth": "layers", "width": "hidden"}
"""Other names of the same."""

PER_LAYER = ("hybrid_override_pattern",)
"""Keys whose string has a letter a layer."""


def lists(data: Mapping[str, Any], before: int, depth: int) -> Keys:
    """The lists of a config object that have an entry a layer, cut or gone on with for another depth."""
    out: Keys = {}
    for name, value in data.items():
        if len(value) == before if isinstance(value, list) or name in PER_LAYER else False:
            longer = resized(value, depth)
            if longer is not None:
                out[name] = "".join(longer) if isinstance(value, str) else longer
    return out
