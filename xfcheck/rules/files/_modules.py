"""Module names of a model, folded, for patterns of other files to be held against."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ...ledger import modules as built

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ledger import Row
    from .._context import Context

_NUMBER = re.compile(r"^\d+$")
FUSED = {
    "qkv_proj": "q_proj", "gate_up_proj": "gate_proj", "fused_qkv_a_proj_with_mqa": "q_a_proj", "in_proj_qkvz": "in_proj_qkv",
    "W_pack": "q_proj", "query_key_value": "q_proj",
}  # fmt: skip
"""What serving engines call joined matrices -> one of the parts."""


@dataclass(slots=True)
class Modules:
    """What modules are called.

    `paths`: every run of parts of a module's name, numbers as `#`. `samples`: full names, of all layers and of the first and last experts.
    `linear`: last parts of the names of matrices. `layers`: how many numbered layers there are, those of draft models included.
    """

    paths: frozenset[str]
    samples: tuple[str, ...]
    linear: frozenset[str]
    layers: int

    def ends_with(self, name: str) -> bool:
        """Whether a module has this name, or a name that ends in it."""
        return ".".join("#" if _NUMBER.match(p) else p for p in name.split(".")) in self.paths

    def literal(self, name: str) -> bool:
        """Whether the name means a module, or a run of parts of one, with a layer number that exists."""
        parts = [p for p in name.strip(".").split(".") if p]
        numbers = [int(p) for p in parts if _NUMBER.match(p) and len(p) < 7]
        folded = ["#" if _NUMBER.match(p) else p for p in parts]
        known = any(".".join(FUSED.get(p, p) if swap else p for p in folded) in self.paths for swap in (False, True))
        return known and (not numbers or numbers[0] < self.layers)

    def matches(self, pattern: str) -> bool:
        """Whether a pattern of a quantisation config means any module: a name or a run of its parts, a glob, an expression (`re:`)."""
        if pattern.startswith("re:"):
            return self._expression(pattern[3:])
        if any(c in pattern for c in "*?["):
            return any(fnmatchcase(n, pattern) or fnmatchcase(n, f"*{pattern}") for n in self._all_samples()) or self._expression(
                pattern, broken=False
            )
        if self.literal(pattern.removesuffix(".weight")):
            return True
        return self._expression(pattern) if re.search(r"[\\^$(|+]", pattern) else any(pattern in n for n in self.samples)

    def _expression(self, text: str, *, broken: bool = True) -> bool:
        """Whether an expression is found in a name; `broken` is the answer for one that cannot be read."""
        try:
            compiled = re.compile(text[:2000])
        except re.error:
            return broken
        return any(compiled.search(name) for name in self._all_samples())

    def _all_samples(self) -> Iterator[str]:
        for name in self.samples:
            yield name
            yield f"{name}.weight"


def modules_of(context: Context) -> Modules | None:
    """The modules of the config's model, under checkpoint names and module names; null where no model can be built."""
    model = context.model
    return None if model is None else _modules(tuple(model.rows))


@functools.lru_cache(maxsize=8)
def _modules(rows: tuple[Row, ...]) -> Modules:
    paths: set[str] = set()
    samples: dict[str, None] = {}
    linear: set[str] = set()
    layers = 0
    for row in (*rows, *built(rows)):
        name = row.name.rpartition(".")[0] if row.name.endswith((".weight", ".bias")) else row.name
        parts = ["#" if p in ("{layer}", "{expert}") or _NUMBER.match(p) else p for p in name.split(".")]
        paths.update(".".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1))
        if len(row.shape) == 2 and row.role.component not in ("token_embedding", "position_embedding", "norm"):
            linear.add(parts[-1])
        if row.layers is not None and "{layer}" in row.name:
            layers = max(layers, max(row.layers) + 1)
        samples.update(dict.fromkeys(_samples(name, row)))
    return Modules(frozenset(paths), tuple(samples), frozenset(linear - {"#"}), layers)


def _samples(name: str, row: Row) -> Iterable[str]:
    chosen = [None] if row.layers is None else sorted(row.layers)
    for layer in chosen:
        at = name if layer is None else name.replace("{layer}", str(layer))
        for expert in (0,) if row.experts is None or row.experts < 2 else (0, row.experts - 1):
            full = at.replace("{expert}", str(expert))
            yield full
