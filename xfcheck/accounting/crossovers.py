"""Where one cost passes another.

O(n^2 d) attention against the rest and against O(n d^2) linear attention, the cache against the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .walk import mixers

if TYPE_CHECKING:
    from ..architecture.model import Architecture


def crossovers(a: Architecture, prefill: dict[str, Any], cache: dict[str, Any], weight_bytes: int | None) -> dict[str, Any]:
    """The `crossovers` object of the budget, in tokens of a sequence; null where the one never passes the other.

    `attention_passes_rest`: the prefill length at which scores and values over the whole square cost as much as all weight matrices and
    scans; both are known from the budget's own length, where one is of second and the other of first order. `linear_attention_cheaper`: the
    length at which softmax attention, 2 n^2 H (d_k + d_v), costs as much as a linear one of the same heads, 4 n H d_k d_v: n = 2 d_k d_v /
    (d_k + d_v), the head's width where both are alike (Katharopoulos et al. 2020, arXiv 2006.16236, section 3.2). `cache_passes_weights`:
    the context at which the cache of the batch has as many bytes as the weights.
    """
    attention, rest, length = prefill["attention_full"], prefill["matmul"] + prefill["scan"], prefill["tokens"]
    slope, constant = cache["bytes_per_token"], cache["constant_bytes"]
    grown = None if not slope or weight_bytes is None else max(0, -(-(weight_bytes - constant) // slope))
    return {
        "attention_passes_rest_tokens": -(-rest * length // attention) if attention else None,
        "linear_attention_cheaper_tokens": _linear(a),
        "cache_passes_weights_tokens": grown,
    }


def _linear(a: Architecture) -> int | None:
    """Of the widest head of the main stack."""
    found = []
    for placed in mixers(a):
        spec: Any = placed.mixer
        if placed.stack.stream != a.main.stream or getattr(spec, "query_heads", None) is None:
            continue
        latent = spec.kind == "latent_attention"
        keys, values = (
            (spec.nope_dim + spec.rope_dim, spec.value_dim) if latent else (spec.head_dim, getattr(spec, "values", spec.head_dim))
        )
        if keys + values:
            found.append(-(-2 * keys * values // (keys + values)))
    return max(found, default=None)
