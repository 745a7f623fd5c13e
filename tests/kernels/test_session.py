"""Time and memory of a run: what is refused before anything is computed, and what a run that ends early keeps."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

torch = pytest.importorskip("torch")

from xfcheck.kernels import measure, sdpa  # noqa: E402
from xfcheck.kernels.backend import Backend  # noqa: E402
from xfcheck.kernels.case import Case  # noqa: E402
from xfcheck.kernels.clock import Clock  # noqa: E402
from xfcheck.kernels.frequency import Frequency, Reading  # noqa: E402
from xfcheck.kernels.machine import Ceilings  # noqa: E402
from xfcheck.kernels.measure import Request, Session, groups, run  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

CPU = torch.device("cpu")
CASE = Case("prefill", 1, 32, 32, 2, 2, 16, 16, "float32")


def never(*_: Any) -> Any:
    raise AssertionError("nothing is prepared for a case that is refused")


def session(*backends: Backend, seconds: float = 60.0, roof: Ceilings | None = None) -> Session:
    request = Request((32,), ("prefill",), 1, 1, "float32", budget_seconds=seconds)
    made = Session(request, CPU, {"name": ""}, roof or Ceilings(1e14, 1e13, "measured"), time.monotonic() + seconds, Clock())
    made.backends = list(backends)
    return made


def test_a_first_case_is_held_to_the_ceilings() -> None:
    """2^20 queries and keys, 2 heads of 16: 35 TFLOP, 70 s at 1 TFLOP/s for each of 8 calls."""
    case = replace(CASE, query_length=1 << 20, key_length=1 << 20)
    made = session(Backend("slow", None, never), roof=Ceilings(1e12, 1e12, "measured"))
    made.group([case], "forward")
    assert "of the budget" in made.refused[0]["why"]
    assert made.stopped == "budget"


def test_a_later_case_is_foreseen_from_an_earlier_one() -> None:
    made = session(Backend("slow", None, never))
    made.rates["slow", "forward"] = CASE.flops("forward") / 10
    made.group([CASE], "forward")
    assert "would take about 80.0 s of the budget" in made.refused[0]["why"]


def test_memory_is_held_to_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors twice, 32,768 bytes; and scores of 2 heads, 32 x 32 of 4 bytes, three times: 24,576 more."""
    monkeypatch.setattr(measure, "free_bytes", lambda _where: 40_000)
    made = session(Backend("scores", None, never, scratch=sdpa.score_bytes), Backend("tiled", None, sdpa.eager))
    made.group([CASE], "forward")
    assert [(r["backend"], r["why"].partition(",")[0]) for r in made.refused] == [("scores", "needs about 0.0 GB of memory")]
    assert [r["backend"] for r in made.rows] == ["tiled"]


def test_an_interruption_in_the_rounds_keeps_samples() -> None:
    made = session(Backend("eager", None, sdpa.eager))
    whole, calls = made.clock.sample, []

    def third(timed: Any) -> float:
        calls.append(timed)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return whole(timed)

    made.clock.sample = third  # type: ignore[method-assign]
    run(made, iter([([CASE], "forward")]))
    assert made.stopped == "interrupted"
    assert made.rows[0]["rounds"] == 3


def test_a_kernel_that_fails_in_the_rounds_does_not_end_the_run() -> None:
    """Two pass their check and warm up; in the first round the second one finds no memory left."""
    made = session(Backend("eager", None, sdpa.eager), Backend("greedy", None, sdpa.eager))
    whole, calls = made.clock.sample, []

    def sixth(timed: Any) -> float:
        calls.append(timed)
        if len(calls) == 6:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return whole(timed)

    made.clock.sample = sixth  # type: ignore[method-assign]
    made.group([CASE], "forward")
    assert [(r["backend"], r["rounds"]) for r in made.rows] == [("eager", 1)]
    assert [(r["backend"], r["why"][:18]) for r in made.refused] == [("greedy", "CUDA out of memory")]


def test_clocks_are_read_around_the_rounds() -> None:
    made = session(Backend("eager", None, sdpa.eager))
    readings: Iterator[Reading] = iter([Reading(1980, 1980), Reading(1755, 1980)])
    made.frequency = Frequency("nvml", None, lambda: next(readings))
    made.group([CASE], "forward")
    assert made.rows[0]["clock_mhz"] == [1980, 1755]


def test_groups_of_a_request() -> None:
    """Contexts in order; a decoding step has no backward pass; layers that are alike at a length are one."""
    cases = [replace(CASE, layers=3), replace(CASE, kind="sliding", window=64, layers=5)]
    request = Request((128, 32), ("prefill", "decode"), 2, 4, "float32", directions=("forward", "backward"))
    found = [(d, c.phase, c.query_length, c.key_length, c.kind, c.layers) for group, d in groups(cases, request) for c in group]
    assert found == [
        ("forward", "prefill", 32, 32, "causal", 8), ("backward", "prefill", 32, 32, "causal", 8),
        ("forward", "decode", 4, 32, "causal", 8),
        ("forward", "prefill", 128, 128, "causal", 3), ("forward", "prefill", 128, 128, "sliding", 5),
        ("backward", "prefill", 128, 128, "causal", 3), ("backward", "prefill", 128, 128, "sliding", 5),
        ("forward", "decode", 4, 128, "causal", 3), ("forward", "decode", 4, 128, "sliding", 5),
    ]  # fmt: skip


def test_a_wall_clock_sample_ends_where_the_machine_has_become_slow() -> None:
    """1,000 calls were counted on; at 20 ms each the sample ends after a few."""
    from xfcheck.kernels.clock import Timed

    calls = []
    timed = Timed(lambda: (calls.append(1), time.sleep(0.02)), calls=1000)
    assert Clock().sample(timed) == pytest.approx(0.02, rel=0.5)
    assert len(calls) < 10
