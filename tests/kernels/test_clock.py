"""Timing on a GPU, with a device that keeps books of its own time."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from kernels.pretended import Gpu  # noqa: E402
from xfcheck.kernels import load  # noqa: E402
from xfcheck.kernels.case import Case  # noqa: E402
from xfcheck.kernels.clock import EVENTS, GRAPH, Clock, Timed  # noqa: E402

CPU = torch.device("cpu")


def measured(gpu: Gpu, timed: Timed) -> float:
    clock = Clock(gpu)
    clock.warm(timed)
    clock.rounds([timed], float("inf"), 3)
    return timed.median


def test_a_small_kernel_is_replayed_from_a_graph() -> None:
    """2 us of work behind 10 us of launching: events see the launches, a graph does not (10 us over all calls of a replay)."""
    gpu = Gpu()
    by_events = Timed(gpu.kernel(2e-6))
    assert measured(gpu, by_events) == pytest.approx(12e-6, rel=0.2)
    assert by_events.timer == EVENTS
    by_graph = Timed(gpu.kernel(2e-6), capturable=True)
    assert measured(gpu, by_graph) == pytest.approx(2e-6, rel=0.02)
    assert by_graph.timer == GRAPH
    assert gpu.replays == 4


def test_a_large_kernel_is_not_captured() -> None:
    gpu = Gpu()
    timed = Timed(gpu.kernel(5e-3), capturable=True)
    assert measured(gpu, timed) == pytest.approx(5e-3, rel=0.01)
    assert timed.timer == EVENTS
    assert timed.replay is None


def test_what_cannot_be_captured_is_timed_with_events_and_the_reason() -> None:
    gpu = Gpu(refuses="operation not permitted when stream is capturing\nmore")
    timed = Timed(gpu.kernel(2e-6), capturable=True)
    assert measured(gpu, timed) == pytest.approx(12e-6, rel=0.2)
    assert timed.timer == EVENTS
    assert timed.not_captured == "operation not permitted when stream is capturing"


def test_flushing_is_not_counted() -> None:
    """Each call after a flush of 1 ms, which hides the launch."""
    gpu = Gpu()
    timed = Timed(gpu.kernel(30e-6), flushed=True, capturable=True)
    assert measured(gpu, timed) == pytest.approx(30e-6, rel=0.01)
    assert gpu.flushes == 2 + 3 * timed.calls
    assert timed.timer == EVENTS


def test_a_graph_holds_every_set_of_inputs() -> None:
    gpu = Gpu()
    seen = []
    timed = Timed(lambda: (seen.append(1), gpu.launch(150e-6)), capturable=True, fewest=300)
    measured(gpu, timed)
    assert timed.calls == 300
    assert len(seen) == 2 + 300


def test_the_wall_clock_without_waiting_sees_launches_alone() -> None:
    """Why events are used: the host is done with a launch long before the device."""
    gpu = Gpu()
    gpu.launch(1.0)
    assert gpu.host == pytest.approx(10e-6)
    gpu.synchronise()
    assert gpu.host == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(
    ("cache", "cold", "sets"),
    [
        (1024, "inputs exceed the cache", 1),
        (3 * 2048, "7 sets of inputs in turn", 7),
    ],
)
def test_inputs_are_kept_out_of_the_cache(monkeypatch: pytest.MonkeyPatch, cache: int, cold: str, sets: int) -> None:
    """q, k, v and o of 8 x 16 numbers of 4 bytes are 2,048 bytes."""
    case = Case("prefill", 1, 8, 8, 1, 1, 16, 16, "float32")
    assert case.bytes("forward") == 2048
    monkeypatch.setattr(load, "cache_bytes", lambda _where: cache)
    seen = set()
    timed, told = load.loaded(case, "forward", lambda inputs: seen.add(inputs.query.data_ptr()), "BHND", CPU)
    for _ in range(20):
        timed.call()
    assert told == cold
    assert len(seen) == sets


def test_where_inputs_do_not_fill_the_cache_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("prefill", 1, 8, 8, 1, 1, 16, 16, "float32")
    monkeypatch.setattr(load, "cache_bytes", lambda _where: 2048 * 1000)
    timed, told = load.loaded(case, "forward", lambda inputs: inputs.value, "BHND", CPU)
    assert "within the cache" in told
    assert not timed.flushed


def test_kernels_of_a_group_share_their_inputs() -> None:
    case = Case("prefill", 1, 8, 8, 1, 1, 16, 16, "float32")
    drawn: load.Drawn = {}
    seen: list[set[int]] = []
    for layout in ("BHND", "BHND", "BNHD"):
        found: set[int] = set()
        timed, _ = load.loaded(case, "forward", lambda inputs, found=found: found.add(inputs.query.data_ptr()), layout, CPU, drawn)
        for _ in range(200):
            timed.call()
        seen.append(found)
    assert seen[0] == seen[1]
    assert not seen[0] & seen[2]
