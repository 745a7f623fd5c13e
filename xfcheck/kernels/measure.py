"""A run: groups of variants, each held to the reference, then timed in rounds, until all is done, time is up or somebody stops it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch

from .backends import ImpossibleError, found
from .case import layers, placed_at, varied
from .clock import Clock, Timed
from .inputs import DegenerateError, fresh, require_varied
from .machine import bound, cache_bytes, ceilings, described, free_bytes
from .reference import WrongError
from .trial import trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..architecture.model import Architecture
    from .backends import Backend
    from .case import Case
    from .inputs import Inputs
    from .machine import Ceilings

COPIES = 16
"""Most sets of inputs that calls rotate over, so that a call does not find its inputs in the caches."""
COPIES_BYTES = 512 * 1024**2
FEWEST_CALLS = 8
"""Calls that a variant needs at least: the check, warm-up, three rounds."""


class MeasuringError(Exception):
    """A figure that no machine of this kind can reach."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure: see the flags of `bench`. `dtype` is torch's name; `backends` empty means all that are not costly."""

    contexts: Sequence[int]
    phases: Sequence[str]
    batch: int
    new: int
    dtype: str
    directions: Sequence[str] = ("forward",)
    vary_heads: bool = False
    backends: Sequence[str] = ()
    budget_seconds: float = 30.0
    measure_ceilings: bool = False


@dataclass(slots=True)
class Entry:
    """A variant of a group that passed its check."""

    case: Case
    direction: str
    backend: str
    error: float
    timed: Timed
    operators: list[str]


@dataclass(slots=True)
class Session:
    """What was measured so far. `refused`: variants that were not timed or whose figures cannot be, each with the reason.

    `rates`: FLOP/s of a backend as last seen, to foresee what the next, larger case takes. `stopped`: null, `budget` or `interrupted`.
    """

    request: Request
    where: torch.device
    device: dict[str, Any]
    ceilings: Ceilings
    deadline: float
    clock: Clock
    backends: list[Backend] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    not_measured: list[dict[str, Any]] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None

    def group(self, cases: Sequence[Case], direction: str) -> None:
        """Check and warm every variant, then time them in alternating rounds; rows are added when the rounds end, whatever ends them."""
        entries: list[Entry] = []
        for case in cases:
            for backend in self.backends:
                if backend.prepare is None or backend.why_not is not None:
                    continue
                try:
                    entries.append(self._checked(case, direction, backend))
                except (ImpossibleError, WrongError, DegenerateError, RuntimeError) as problem:  # RuntimeError: of memory
                    self._refuse(case, direction, backend.name, problem)
        try:
            self.clock.rounds([entry.timed for entry in entries], self.deadline)
        finally:
            for entry in entries:
                if entry.timed.samples:
                    self._add(entry)

    def _checked(self, case: Case, direction: str, backend: Backend) -> Entry:
        self._require_room(case, direction, backend.name)
        passed = trial(backend, case, direction, self.where)
        timed = Timed(self._call(case, direction, passed.kernel))
        once = self.clock.warm(timed)
        self.rates[backend.name] = case.flops(direction) / max(once, 1e-9)
        return Entry(case, direction, backend.name, passed.error, timed, passed.operators)

    def _require_room(self, case: Case, direction: str, name: str) -> None:
        """Time and memory, before anything is computed."""
        left = self.deadline - time.monotonic()
        takes = FEWEST_CALLS * case.flops(direction) / self.rates[name] if name in self.rates else 0.0
        if takes > left:
            self.stopped = "budget"
            raise ImpossibleError(f"would take about {takes:.1f} s of the budget, {max(left, 0):.1f} s are left")
        scores = case.batch * case.query_heads * case.query_length * case.key_length * 4
        needed = case.bytes(direction) * 2 + (scores * (3 if direction == "forward" else 6) if name in ("eager", "sdpa-math") else 0)
        if needed > free_bytes(self.where):
            raise ImpossibleError(f"needs about {needed / 1e9:.1f} GB of memory, more than half of what is free")

    def _call(self, case: Case, direction: str, kernel: Callable[[Inputs], torch.Tensor]) -> Callable[[], object]:
        """One pass over the next of several sets of inputs."""
        if direction == "backward":
            inputs = fresh(case, self.where, gradients=True)
            require_varied(inputs)
            out = kernel(inputs)
            gradient = torch.empty_like(out).uniform_(-1, 1)
            return lambda: torch.autograd.grad(out, inputs.tensors, gradient, retain_graph=True)
        moved = max(1, case.bytes(direction))
        most = max(1, min(COPIES, COPIES_BYTES // moved))
        sets = [fresh(case, self.where) for _ in range(min(most, 1 + 2 * cache_bytes(self.where) // moved))]
        for inputs in sets:
            require_varied(inputs)
        at = 0

        def call() -> object:
            nonlocal at
            at = (at + 1) % len(sets)
            with torch.no_grad():
                return kernel(sets[at])

        return call

    def _refuse(self, case: Case, direction: str, name: str, problem: Exception) -> None:
        error = problem.error if isinstance(problem, WrongError) else None
        told = str(problem).strip().splitlines() or [type(problem).__name__]
        self.refused.append({"backend": name, **shape(case, direction), "max_abs_error": error, "why": told[0][:300]})

    def _add(self, entry: Entry) -> None:
        try:
            self.rows.append(self._row(entry))
        except MeasuringError as problem:
            self._refuse(entry.case, entry.direction, entry.backend, problem)

    def _row(self, entry: Entry) -> dict[str, Any]:
        case, seconds = entry.case, entry.timed.median
        flops, moved = case.flops(entry.direction), case.bytes(entry.direction)
        require_possible(flops / seconds, bound(self.where, self.device["name"], case.dtype))
        least = self.ceilings.seconds(flops, moved)
        if least > 1.05 * seconds and not self.ceilings.measured:
            raise MeasuringError(f"{seconds * 1e3:.4g} ms is less than the {least * 1e3:.4g} ms that the device's peaks allow")
        return {
            "backend": entry.backend, **shape(case, entry.direction), "median_ms": seconds * 1e3, "spread": entry.timed.spread,
            "rounds": len(entry.timed.samples), "flops": flops, "bytes": moved, "tflops_per_s": flops / seconds / 1e12,
            "gb_per_s": moved / seconds / 1e9, "roofline_ms": least * 1e3,
            "roofline_fraction": least / seconds if least <= seconds else None,
            "binds": self.ceilings.binds(flops, moved), "max_abs_error": entry.error, "operators": entry.operators,
        }  # fmt: skip


def require_possible(flops_per_s: float, most: float | None) -> None:
    """Raises MeasuringError for a figure above what the device can do: work that was not waited for, or not done."""
    if most is not None and flops_per_s > most:
        raise MeasuringError(
            f"{flops_per_s / 1e12:.4g} TFLOP/s is above what this device can reach ({most / 1e12:.4g}): work was not waited for or not done"
        )


def shape(case: Case, direction: str) -> dict[str, Any]:
    """What a row says of its case."""
    return {
        "direction": direction, "phase": case.phase, "variant": case.variant, "dtype": case.dtype, "batch": case.batch,
        "query_length": case.query_length, "key_length": case.key_length, "query_heads": case.query_heads, "kv_heads": case.kv_heads,
        "head_dim": case.head_dim, "value_dim": case.value_dim, "causal": case.causal, "window": case.window, "layers": case.layers,
    }  # fmt: skip


def groups(cases: Sequence[Case], request: Request) -> Iterator[tuple[list[Case], str]]:
    """(variants that are timed against each other, direction), short contexts first; a window that hides nothing there is none."""
    for context in sorted(set(request.contexts)):
        for phase in request.phases:
            for direction in request.directions:
                if direction == "backward" and phase == "decode":
                    continue
                wide = [v for case in cases for v in (varied(case) if request.vary_heads else [case])]
                at: dict[Case, int] = {}
                for case in wide:
                    placed = placed_at(case, phase, request.batch, context, request.new)
                    alike = replace(placed, layers=1, window=placed.window if placed.windowed else None)
                    at[alike] = at.get(alike, 0) + case.layers
                yield [replace(case, layers=count) for case, count in at.items()], direction


def begin(request: Request, where: torch.device, cores: list[int]) -> Session:
    """A session with the backends of this machine and its ceilings. The budget counts from here."""
    started = time.monotonic()
    device = described(where, cores)
    roof = ceilings(where, device["name"], request.dtype, measure=request.measure_ceilings)
    session = Session(request, where, device, roof, started + request.budget_seconds, Clock(where))
    for backend in found(where):
        why = backend.why_not
        if why is None and request.backends and backend.name not in request.backends:
            why = "not asked for"
        elif why is None and backend.costly and not request.backends:
            why = f"compiles for up to a minute here: --backend {backend.name} runs it"
        session.backends.append(backend._replace(why_not=why))
    return session


def measure(a: Architecture, session: Session) -> None:
    """Measure the attention of an architecture; an interruption keeps what was measured."""
    cases, session.not_measured = layers(a, session.request.dtype)
    try:
        for variants, direction in groups(cases, session.request):
            if session.rows and time.monotonic() > session.deadline:
                session.stopped = "budget"
                break
            session.group(variants, direction)
    except KeyboardInterrupt:
        session.stopped = "interrupted"
