"""The design and its scaled-down instance, which the laws run."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import torch

from ..accounting.walk import mixers
from ..problems import Refused
from ..torch_build.initial import initialise
from ..torch_build.model import Model as Built
from ..torch_build.model import build
from ..torch_build.passes import Pass
from ..torch_build.runnable import unbuilt, unrunnable
from ..verification.check import Check
from .device import CPU

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..accounting.walk import Placed
    from ..architecture.model import Architecture
    from ..model import Model
    from .device import Place

TOKENS, SOURCE, BATCH = 13, 7, 2


@dataclass
class Instance:
    """`design`: the user's architecture; `small`: the scaled-down one.

    `described`: a design without a reference, whose own choices are judged. `place`: where the laws run. Random numbers are drawn on the
    CPU, the same everywhere.
    """

    design: Architecture
    small: Architecture
    described: bool
    trouble: str | None = None
    place: Place = CPU
    captured: dict[str, torch.Tensor] = field(default_factory=dict)

    @cached_property
    def model(self) -> Built:
        """Every layer of the small model, with weights. Raises NotImplementedError for what has no forward."""
        reasons = [*unbuilt(self.small), *unrunnable(self.small)]
        if self.trouble is not None or reasons:
            raise NotImplementedError(self.trouble or f"no forward here for {', '.join(reasons)}")
        made = build(self.small, whole=True, device=self.place.device, dtype=self.place.dtype)
        initialise(made)
        return made

    def ids(self, tokens: int = TOKENS, seed: int = 1) -> torch.Tensor:
        """Token ids `[B, n]`, none twice in a sequence where there are enough: an indexer has no choice between keys that are alike."""
        table = self.small.embedding or self.small.main.embedding
        rows = 2 if table is None or not table.rows else table.rows
        draw = torch.Generator().manual_seed(seed)
        if rows < tokens:
            return torch.randint(0, rows, (BATCH, tokens), generator=draw).to(self.place.device)
        return torch.stack([torch.randperm(rows, generator=draw)[:tokens] for _ in range(BATCH)]).to(self.place.device)

    @property
    def exact(self) -> float:
        """Bound of a difference that rounding alone may make."""
        return self.place.bound

    def here(self, value: torch.Tensor) -> torch.Tensor:
        """The numbers on the device, in its dtype."""
        return value.to(self.place.device, self.place.dtype)

    def normal(self, draw: torch.Generator, *shape: int) -> torch.Tensor:
        """N(0, 1) numbers."""
        return self.here(torch.randn(*shape, generator=draw, dtype=torch.float64))

    def uniform(self, draw: torch.Generator, *shape: int) -> torch.Tensor:
        """Numbers of 0 to 1."""
        return self.here(torch.rand(*shape, generator=draw, dtype=torch.float64))

    def span(self, count: int) -> torch.Tensor:
        """0 to count - 1, whole numbers."""
        return torch.arange(count, device=self.place.device)

    @contextmanager
    def factory(self) -> Iterator[None]:
        """Modules made inside stand on the device, in its dtype."""
        before = torch.get_default_dtype()
        torch.set_default_dtype(self.place.dtype)
        try:
            with torch.device(self.place.device):
                yield
        finally:
            torch.set_default_dtype(before)

    def run(self, ids: torch.Tensor, **given: Any) -> torch.Tensor:
        """Scores of one pass from the beginning."""
        with torch.no_grad():
            return self.model(ids, Pass(**given), self.ids(SOURCE, seed=2))

    @cached_property
    def seen(self) -> dict[str, torch.Tensor]:
        """Every activation of one pass by name; of layers of one kind, the last one's."""
        found: dict[str, torch.Tensor] = {}
        self.run(self.ids(), see=found.__setitem__)
        return found

    def heads(self) -> Iterator[tuple[str, Placed]]:
        """(name under which activations are seen, mixer) of each softmax attention that ran, one a kind of block."""
        for placed in mixers(self.small):
            for sublayer in placed.block.sublayers:
                name = f"{placed.stack.name or placed.stack.stream}.{placed.block.name}.{sublayer.name}.{placed.mixer.slot}"
                if placed.mixer in sublayer.mixers and f"{name}.scores" in self.seen:
                    yield name, placed

    def of(self, *kinds: str) -> list[Any]:
        """The design's own mixers of these kinds, different ones once."""
        found = [p.mixer for p in mixers(self.design) if p.mixer.kind in kinds]
        return [mixer for i, mixer in enumerate(found) if mixer not in found[:i]]


def prepare(model: Model, place: Place = CPU) -> Instance:
    """The instance of a model; one that cannot shrink is run as it is where it is small."""
    from ..ledger import total
    from ..shrink import shrink

    described = model.family == "native"
    try:
        small = shrink(model).model.architecture
    except Refused as problem:
        if total(model.rows) > 3_000_000:
            return Instance(model.architecture, model.architecture, described, f"it does not shrink ({problem.message})", place)
        small = model.architecture
    return Instance(model.architecture, small, described, place=place)


def bars(values: list[float], most: int = 48) -> str:
    """A bar a value, the largest full; nothing where there is nothing to see."""
    top = max((v for v in values if isfinite(v)), default=0.0)
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(7 * v / top))] if isfinite(v) else "?" for v in values[:most]) if top > 0 else ""


def bounded(law: str, got: float, bound: float, why: str) -> Check:
    """Agreed where the quantity is at most the bound; a NaN never is."""
    return Check(
        f"law.{law}", f"at most {bound:g}", "nan" if isnan(got) else float(f"{got:.3g}"), "agreed" if got <= bound else "differs", why
    )


def own_choice(x: Instance, check: Check) -> Check:
    """A difference that a published family chose (and trains with) is told, not judged; a described design is judged."""
    if check.verdict != "differs" or x.described:
        return check
    return Check(
        check.check, check.expected, check.got, "not_verified", f"{check.why}; the family's own choice, which its reference makes too"
    )
