"""What of an architecture is measured: its different mixers as cases, and at which lengths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .case import BIDIRECTIONAL, KINDS, Case
from .recurrence import Recurrence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..accounting.walk import Placed
    from ..architecture.model import Architecture

Problem = Case | Recurrence
COMPONENTS = ("attention", "cross_attention", "ssm", "scan", "linear_attention")
PACKED = 4
"""Documents in a packed sequence, and a prefix's share of one, where no length is given."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """At which lengths a config is measured: keys, new queries of a step, and what a config does not say (null: a default)."""

    phase: str
    batch: int
    context: int
    new: int = 1
    source: int | None = None
    document: int | None = None
    prefix: int | None = None


def of(placed: Placed, dtype: str) -> list[Problem] | str:
    """The cases of one mixer, with lengths of 1 for `placed_at` to replace; or why it is not measured."""
    mixer: Any = placed.mixer
    if mixer.kind in RECURRENCES:
        found = RECURRENCES[mixer.kind](mixer)
        if isinstance(found, str):
            return found
        return [Recurrence("", 1, 1, 0, **found, dtype=dtype, layers=placed.count, mixer=mixer.kind)]
    if mixer.kind not in ("attention", "cross_attention", "latent_attention"):
        return f"no kernel here computes {mixer.kind.replace('_', ' ')}"
    if mixer.kind == "cross_attention" and mixer.memory == "absent":
        return "its other stream is absent"
    kind = "bidirectional" if mixer.mask.kind == "cross" else mixer.mask.kind
    if kind not in KINDS:
        return f"no kernel here takes a {kind} mask"
    if getattr(mixer, "passes", 1) != 1 or getattr(mixer, "indexer", None) is not None:
        return "differential or sparsely indexed attention is not measured"
    common: dict[str, Any] = {
        "phase": "", "batch": 1, "query_length": 1, "key_length": 1, "query_heads": mixer.query_heads, "dtype": dtype, "kind": kind,
        "window": None if kind == "document" else mixer.mask.window, "prefix": mixer.mask.prefix, "softcap": mixer.softcap,
        "sinks": mixer.sinks, "scale": mixer.scale, "layers": placed.count, "memory": mixer.kind == "cross_attention",
        "decodes": mixer.kind == "cross_attention" or kind not in BIDIRECTIONAL, "mixer": mixer.kind,
    }  # fmt: skip
    if mixer.kind != "latent_attention":
        return [Case(kv_heads=mixer.kv_heads, head_dim=mixer.head_dim, value_dim=mixer.values, **common)]
    width, rank = mixer.nope_dim + mixer.rope_dim, mixer.kv_rank
    common["scale"] = width**-0.5 if mixer.scale is None else mixer.scale
    executed = Case(kv_heads=mixer.query_heads, head_dim=width, value_dim=mixer.value_dim, variant="mla executed", **common)
    return [executed, Case(kv_heads=1, head_dim=rank + mixer.rope_dim, value_dim=rank, latent=True, variant="mla absorbed", **common)]


def _mamba(mixer: Any) -> dict[str, Any]:
    """A channel of the width is a head with one value; B and C are shared by all."""
    return {"heads": mixer.inner_size, "groups": 1, "key_dim": mixer.state_size, "value_dim": 1, "decay": "channel"}


def _mamba2(mixer: Any) -> dict[str, Any]:
    return {
        "heads": mixer.heads, "groups": mixer.groups, "key_dim": mixer.state_size, "value_dim": mixer.head_dim, "chunk": mixer.chunk
    }  # fmt: skip


def _gated_delta(mixer: Any) -> dict[str, Any]:
    return {
        "heads": mixer.value_heads, "groups": mixer.key_heads, "key_dim": mixer.key_dim, "value_dim": mixer.value_dim, "delta": True,
        "chunk": mixer.chunk,
    }  # fmt: skip


def _kimi_delta(mixer: Any) -> dict[str, Any]:
    width = mixer.head_dim
    return {
        "heads": mixer.heads, "groups": mixer.heads, "key_dim": width, "value_dim": width, "decay": "channel", "delta": True,
        "chunk": mixer.chunk,
    }  # fmt: skip


def _lightning(mixer: Any) -> dict[str, Any]:
    return {"heads": mixer.heads, "groups": mixer.heads, "key_dim": mixer.head_dim, "value_dim": mixer.head_dim, "chunk": mixer.block}


def _linear(mixer: Any) -> dict[str, Any] | str:
    """Without its decays, of which the architecture does not say how many they are: the products are the same."""
    if mixer.slots is not None:
        return "a state of two parts is not measured"
    if mixer.kv_heads != mixer.heads:
        return "values shared by several queries are not measured"
    return {
        "heads": mixer.heads, "groups": mixer.heads, "key_dim": mixer.key_dim, "value_dim": mixer.value_dim, "decay": "none",
        "delta": mixer.delta,
    }  # fmt: skip


RECURRENCES = {
    "mamba": _mamba, "mamba2": _mamba2, "gated_delta": _gated_delta, "kimi_delta": _kimi_delta, "lightning_attention": _lightning,
    "linear_attention": _linear,
}  # fmt: skip
"""Kind of a mixer -> what it is as a recurrence, or why it is not measured."""


def layers(a: Architecture, dtype: str) -> tuple[list[Problem], list[dict[str, Any]]]:
    """(the different mixers of an architecture, mixers that are not measured with the reason)."""
    from ..accounting.walk import mixers

    found: dict[Problem, int] = {}
    left: dict[tuple[str, str], int] = {}
    for placed in mixers(a):
        if placed.mixer.component not in COMPONENTS:
            continue
        cases = of(placed, dtype)
        if isinstance(cases, str):
            left[placed.mixer.kind, cases] = left.get((placed.mixer.kind, cases), 0) + placed.count
            continue
        for case in cases:
            alike = replace(case, layers=1)
            found[alike] = found.get(alike, 0) + case.layers
    return [replace(case, layers=count) for case, count in found.items()], [
        {"kind": kind, "layers": count, "why": why} for (kind, why), count in left.items()
    ]


def varied(case: Problem) -> Iterator[Problem]:
    """MHA, GQA and MQA with the query heads of the case: the groups of the case where it has some, else four heads a group."""
    if not isinstance(case, Case) or case.latent or case.variant != "as written":
        yield case
        return
    heads = case.query_heads
    grouped = case.kv_heads if 1 < case.kv_heads < heads else max(1, heads // 4)
    for name, kv in (("mha", heads), (f"gqa:{grouped}", grouped), ("mqa", 1)):
        if name in ("mha", "mqa") or (1 < kv < heads and heads % kv == 0):
            yield replace(case, kv_heads=kv, variant=name)


def placed_at(case: Problem, at: Lengths) -> Problem | None:
    """The case at a length: `prefill` is n = m = context, `decode` is `new` queries, the last of `context` keys. Null: no such phase.

    Over another stream m is that stream's length. A packed document has a quarter of the context and a prefix as many tokens, where
    neither config nor request says how many; a prefix stands before the queries of a step.
    """
    prefill = at.phase == "prefill"
    if not prefill and not case.decodes:
        return None
    queries = at.context if prefill else min(at.new, at.context)
    if isinstance(case, Recurrence):
        return replace(case, phase=at.phase, batch=at.batch, query_length=queries, past=at.context - queries)
    keys = (at.source or at.context) if case.memory else at.context
    window, prefix = case.window, case.prefix
    if case.kind == "document":
        window = at.document or -(-at.context // PACKED)
    if case.kind == "prefix":
        prefix = at.prefix or prefix or -(-at.context // PACKED)
        prefix = min(prefix, keys if prefill else keys - queries)
    return replace(case, phase=at.phase, batch=at.batch, query_length=queries, key_length=keys, window=window, prefix=prefix).simplified()
