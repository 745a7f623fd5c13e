"""Every number's formula with a model's own dimensions filled in: what `-v` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .dtypes import WIDTHS
from .walk import arithmetic, mixers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ledger import Row
    from ..model import Model
    from .mixers._parts import Held

SHOWN = 12
"""Terms of a sum that are written out; the rest is one term."""


def formulas(model: Model, out: dict[str, Any]) -> list[dict[str, str]]:
    """One entry a number: `number` its dotted key, `formula` with the dimensions, `value`."""
    return [{"number": number, "formula": formula, "value": value} for number, formula, value in _all(model, out)]


def _all(model: Model, out: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for component, count in out["parameters"]["by_component"].items():
        if count:
            rows = [row for row in model.rows if row.counted and row.role.component == component]
            yield f"parameters.by_component.{component}", _sum([_term(row) for row in rows]), f"{count:,}"
    active = out["parameters"]["active"]
    routed = {row.active for row in model.rows if row.active is not None and row.counted}
    if routed:
        share = ", ".join(sorted(f"{k} of {e}" for k, e in routed))
        yield "parameters.active.total", f"total - experts * (1 - k/E), k of E: {share}", f"{active['total']:,}"
    yield from _flops(model, out)
    yield from _cache(model, out)
    memory, prefill = out["memory"], out["flops"]["prefill"]
    batch, tokens, vocabulary = prefill["batch"], prefill["tokens"], model.architecture.head.rows
    yield (
        "memory.logits_bytes",
        f"{batch} x {tokens} tokens x {vocabulary} x {WIDTHS[model.architecture.dtype or 'bfloat16']} bytes",
        f"{memory['logits_bytes']:,}",
    )
    training = memory["training"]
    if training is not None:
        yield (
            "memory.training.optimizer_bytes",
            f"{training['optimizer']} on {training['trained_parameters']:,} parameters, master copy included",
            f"{training['optimizer_bytes']:,}",
        )


def _term(row: Row) -> str:
    """`32 layers x [4096 x 4096] query`."""
    layers = 1 if row.layers is None else len(row.layers)
    many = ([f"{layers} layers"] if layers > 1 else []) + ([f"{row.experts} experts"] if row.experts else [])
    return " x ".join([*many, "[" + " x ".join(map(str, row.shape)) + "]"]) + f" {row.role.part}"


def _sum(terms: list[str]) -> str:
    return " + ".join(terms[:SHOWN]) + (f" + {len(terms) - SHOWN} more" if len(terms) > SHOWN else "")


def _flops(model: Model, out: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    prefill = out["flops"]["prefill"]
    batch, tokens = prefill["batch"], prefill["tokens"]
    weights = sum(_met(row) for row in model.rows if row.role.multiplies and row.kind != "not_loaded")
    yield (
        "flops.prefill.matmul",
        f"2 x {batch} x {tokens} tokens x {weights:,} weights that a token meets (streams of other lengths at theirs)",
        f"{prefill['matmul']:,}",
    )
    terms = []
    for placed in mixers(model.architecture):
        spec: Any = placed.mixer
        if getattr(spec, "query_heads", None) is None:
            continue
        latent = spec.kind == "latent_attention"
        keys, values = (
            (spec.nope_dim + spec.rope_dim, spec.value_dim) if latent else (spec.head_dim, getattr(spec, "values", spec.head_dim))
        )
        mask = getattr(spec, "mask", None)
        seen = "" if mask is None else f" {mask.kind}" + (f" {mask.window}" if mask.window else "")
        terms.append(f"{placed.count} layers x 2 x {spec.query_heads} heads x ({keys} + {values}) x pairs{seen}")
    if terms:
        yield "flops.prefill.attention_full", f"{batch} x ({_sum(terms)}), pairs {tokens} x {tokens}", f"{prefill['attention_full']:,}"
        yield "flops.prefill.attention_visible", "the same over the pairs that mask and window leave", f"{prefill['attention_visible']:,}"
    if prefill["scan"]:
        yield "flops.prefill.scan", "docs/scan-formulas.md", f"{prefill['scan']:,}"


def _met(row: Row) -> int:
    if row.active is None or row.every:
        return row.elements * row.uses
    return row.elements * row.uses * row.active[0] // row.active[1] if row.active[1] else 0


def _cache(model: Model, out: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    cache = out["cache"]
    terms = []
    for placed in mixers(model.architecture):
        holds = arithmetic(placed.mixer.kind).holds(placed.mixer, placed.stack.stream)
        terms += [f"{placed.caches} layers x {_held(held)}" for held in holds]
    if terms:
        value = "not known" if cache["bytes"] is None else f"{cache['bytes']:,}"
        yield (
            "cache.bytes",
            f"{cache['batch']} x ({_sum(terms)}), {cache['context']} tokens, {cache['dtype']}, as {cache['engine']} keeps it",
            value,
        )


def _held(held: Held) -> str:
    width = "" if not held.fp32 else " in 32 bits"
    return f"{held.per_token} elements a token ({held.kind}){width}" if held.per_token else f"{held.constant} elements ({held.kind}){width}"
