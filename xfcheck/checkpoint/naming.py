"""Names of tensors as published checkpoints of older versions and other savers write them, and names folded over layers and experts.

Sources: transformers 5.24.0 loading (`base_model_prefix`, gamma and beta in modeling_utils.py); the files of gpt2 (no `transformer.`),
bert-base-uncased (gamma and beta), t5-base (`encoder.embed_tokens`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..architecture.layers import LayerSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

WRAPPERS = ("module.", "_orig_mod.", "base_model.model.", "model.", "transformer.", "language_model.")
"""What savers put in front of all names: data-parallel and compiled modules, adapters, a base model in its head's class."""
BUFFERS = re.compile(
    r"(?:^|\.)(?:rotary_emb\.inv_freq|position_ids|token_type_ids|masked_bias|attn\.bias|attention\.bias|rotary_emb\.(?:cos|sin)_cached)$"
)
"""Buffers that older versions saved and a loader makes anew."""


class Naming(NamedTuple):
    """How the names of a checkpoint become those of the ledger: words for a report, and the function."""

    words: str
    rename: Callable[[str], str]


def naming(names: Iterable[str], known: Mapping[str, object]) -> Naming:
    """The naming that fits the checkpoint best: its own names, those with or without one prefix, each with gamma and beta renamed."""
    names = list(names)
    best = Naming("as saved today", lambda name: name if name in known else _newer(name))
    score = _fitting(names, best.rename, known)
    if score == len(names):
        return best
    for prefix in sorted({*WRAPPERS, *(f"{n.partition('.')[0]}." for n in known), *(f"{n.partition('.')[0]}." for n in names[:2000])}):
        for words, rename in ((f"without {prefix}", _adding(prefix, known)), (f"with {prefix} in front", _without(prefix, known))):
            fitting = _fitting(names, rename, known)
            if fitting > score:
                best, score = Naming(words, rename), fitting
    return best


def _fitting(names: list[str], rename: Callable[[str], str], known: Mapping[str, object]) -> int:
    return sum(rename(name) in known for name in names)


def _adding(prefix: str, known: Mapping[str, object]) -> Callable[[str], str]:
    def rename(name: str) -> str:
        return next((n for n in (name, prefix + name, prefix + _newer(name)) if n in known), name)

    return rename


def _without(prefix: str, known: Mapping[str, object]) -> Callable[[str], str]:
    def rename(name: str) -> str:
        bare = name.removeprefix(prefix)
        return next((n for n in (name, bare, _newer(bare)) if n in known), bare)

    return rename


def _newer(name: str) -> str:
    """LayerNorm's gamma and beta under the names of today."""
    if name.endswith(".gamma"):
        return name.removesuffix("gamma") + "weight"
    return name.removesuffix("beta") + "bias" if name.endswith(".beta") else name


_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


class Folded(NamedTuple):
    """Names that differ in their layer and expert numbers alone. `tensors`: how many they are."""

    name: str
    layers: str | None
    experts: str | None
    tensors: int
    first: str


def fold(names: Iterable[str]) -> list[Folded]:
    """Names folded over their first two numbers, in order of first appearance."""
    groups: dict[str, list[tuple[str, list[int]]]] = {}
    for name in names:
        numbers: list[int] = []

        def placeholder(match: re.Match[str], numbers: list[int] = numbers) -> str:
            if len(numbers) == 2:
                return match[0]
            numbers.append(int(match[0]))
            return "{layer}" if len(numbers) == 1 else "{expert}"

        groups.setdefault(_NUMBER.sub(placeholder, name), []).append((name, numbers))
    return [_folded(template, held) for template, held in groups.items()]


def _folded(template: str, held: list[tuple[str, list[int]]]) -> Folded:
    axes = [str(LayerSet.of(sorted({numbers[i] for _, numbers in held}))) if len(held[0][1]) > i else None for i in range(2)]
    return Folded(template, axes[0], axes[1], len(held), held[0][0])
