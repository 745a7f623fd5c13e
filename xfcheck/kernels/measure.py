"""A run: groups of variants, each held to the reference, then timed in rounds, until all is done, time is up or somebody stops it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .backend import Backend, ImpossibleError
from .backends import found
from .check import WrongError
from .clock import ROUNDS
from .frequency import UNKNOWN, Frequency, Reading, frequency
from .inputs import DegenerateError
from .layers import Lengths, layers, placed_at, varied
from .load import loaded
from .machine import ceilings, clock_of, described, free_bytes
from .rows import MeasuringError, refused, row
from .trial import trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import torch

    from ..architecture.model import Architecture
    from .clock import Clock, Timed
    from .layers import Problem
    from .load import Drawn
    from .machine import Ceilings

FEWEST_CALLS = 8
"""Calls that a variant needs at least: the check, warm-up, three rounds."""


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
    source: int | None = None
    document: int | None = None
    prefix: int | None = None
    rounds: int = ROUNDS


@dataclass(slots=True)
class Entry:
    """A variant of a group that passed its check; `cold` says how its inputs were kept out of the caches."""

    case: Problem
    direction: str
    backend: str
    error: float
    timed: Timed
    operators: list[str]
    cold: str


@dataclass(slots=True)
class Session:
    """What was measured so far. `refused`: variants that were not timed or whose figures cannot be, each with the reason.

    `rates`: FLOP/s of a backend as last seen, to foresee what the next, larger case takes; the ceiling for the
    first. `stopped`: null, `budget` or `interrupted`.
    `tell` is told what is measured next.
    """

    request: Request
    where: torch.device
    device: dict[str, Any]
    ceilings: Ceilings
    deadline: float
    clock: Clock
    frequency: Frequency = field(default_factory=lambda: Frequency("unknown", "not asked", lambda: UNKNOWN))
    backends: list[Backend] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    not_measured: list[dict[str, Any]] = field(default_factory=list)
    rates: dict[tuple[str, str], float] = field(default_factory=dict)
    stopped: str | None = None
    tell: Callable[[str], object] = lambda _told: None

    def group(self, cases: Sequence[Problem], direction: str) -> None:
        """Check and warm every variant, then time them in alternating rounds; rows are added when the rounds end, whatever ends them."""
        entries: list[Entry] = []
        drawn: Drawn = {}
        for case in cases:
            for backend in self.backends:
                if backend.prepare is None or backend.why_not is not None or backend.family != case.family:
                    continue
                self.tell(f"{backend.name} {direction} {case.phase} {case.variant} n={case.query_length} m={case.key_length}")
                try:
                    entries.append(self._checked(case, direction, backend, drawn))
                except (ImpossibleError, WrongError, DegenerateError, RuntimeError) as problem:  # RuntimeError: of memory
                    self._refuse(case, direction, backend.name, problem)
        before = self.frequency.read()
        try:
            self.clock.rounds([entry.timed for entry in entries], self.deadline, self.request.rounds)
        except RuntimeError as problem:  # of memory, which all variants of a group hold together
            for entry in entries:
                if not entry.timed.samples:
                    self._refuse(entry.case, entry.direction, entry.backend, problem)
        finally:
            after = self.frequency.read()
            for entry in entries:
                if entry.timed.samples:
                    self._add(entry, before, after)

    def _checked(self, case: Problem, direction: str, backend: Backend, drawn: Drawn) -> Entry:
        self._require_room(case, direction, backend)
        passed = trial(backend, case, direction, self.where)
        timed, cold = loaded(case, direction, passed.kernel, backend.layout, self.where, drawn)
        once = self.clock.warm(timed)
        self.rates[backend.name, direction] = case.flops(direction) / max(once, 1e-9)
        return Entry(case, direction, backend.name, passed.error, timed, passed.operators, cold)

    def _require_room(self, case: Problem, direction: str, backend: Backend) -> None:
        """Time and memory, before anything is computed."""
        left = self.deadline - time.monotonic()
        rate = self.rates.get((backend.name, direction), self.ceilings.flops_per_s)
        takes = FEWEST_CALLS * case.flops(direction) / rate
        if left <= 0 or takes > left:
            self.stopped = "budget"
            raise ImpossibleError(f"would take about {takes:.1f} s of the budget, {max(left, 0):.1f} s are left")
        needed = case.bytes(direction) * 2 + (backend.scratch(case, direction) if backend.scratch is not None else 0)
        if needed > free_bytes(self.where):
            raise ImpossibleError(f"needs about {needed / 1e9:.1f} GB of memory, more than half of what is free")

    def _refuse(self, case: Problem, direction: str, name: str, problem: Exception) -> None:
        self.refused.append(refused(case, direction, name, problem))

    def _add(self, entry: Entry, before: Reading, after: Reading) -> None:
        try:
            self.rows.append(row(entry, self.ceilings, self.where, self.device["name"], (before, after)))
        except MeasuringError as problem:
            self._refuse(entry.case, entry.direction, entry.backend, problem)


def groups(cases: Sequence[Problem], request: Request) -> Iterator[tuple[list[Problem], str]]:
    """(variants that are timed against each other, direction), short contexts first; a window that hides nothing there is none."""
    wide = [variant for case in cases for variant in (varied(case) if request.vary_heads else [case])]
    for context in sorted(set(request.contexts)):
        for phase in request.phases:
            at = Lengths(phase, request.batch, context, request.new, request.source, request.document, request.prefix)
            for direction in request.directions:
                if direction == "backward" and phase == "decode":
                    continue
                placed: dict[Problem, int] = {}
                for case in wide:
                    there = placed_at(case, at)
                    if there is not None:
                        alike = replace(there, layers=1)
                        placed[alike] = placed.get(alike, 0) + case.layers
                if placed:
                    yield [replace(case, layers=count) for case, count in placed.items()], direction


def begin(request: Request, where: torch.device, cores: list[int]) -> Session:
    """A session with the backends of this machine and its ceilings. The budget counts from here."""
    started = time.monotonic()
    device = described(where, cores)
    roof = ceilings(where, device["name"], request.dtype, measure=request.measure_ceilings)
    session = Session(request, where, device, roof, started + request.budget_seconds, clock_of(where), frequency(where, cores))
    for backend in found(where):
        why = backend.why_not
        if why is None and request.backends and backend.name not in request.backends:
            why = "not asked for"
        elif why is None and backend.costly and not request.backends:
            why = f"compiles each shape for up to a minute: --backend {backend.name} runs it"
        session.backends.append(backend._replace(why_not=why))
    return session


def measure(a: Architecture, session: Session) -> None:
    """Measure the mixers of an architecture."""
    cases, session.not_measured = layers(a, session.request.dtype)
    run(session, groups(cases, session.request))


def run(session: Session, wanted: Iterator[tuple[list[Problem], str]]) -> None:
    """Measure groups in turn; the budget ends it, and an interruption keeps what was measured."""
    try:
        for variants, direction in wanted:
            if time.monotonic() > session.deadline:
                session.stopped = "budget"
                break
            session.group(variants, direction)
    except KeyboardInterrupt:
        session.stopped = "interrupted"
