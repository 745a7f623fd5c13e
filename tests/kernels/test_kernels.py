"""Kernels against numbers worked out apart from them; and the mistakes of measuring, each of which must be caught."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

from xfcheck.kernels.backend import Backend, ImpossibleError  # noqa: E402
from xfcheck.kernels.backends import found  # noqa: E402
from xfcheck.kernels.case import Case  # noqa: E402
from xfcheck.kernels.check import WrongError, check  # noqa: E402
from xfcheck.kernels.clock import Clock, Timed, quantile  # noqa: E402
from xfcheck.kernels.dispatched import ran, require_itself  # noqa: E402
from xfcheck.kernels.inputs import DegenerateError, Inputs, fresh, require_varied  # noqa: E402
from xfcheck.kernels.machine import Ceilings, bound  # noqa: E402
from xfcheck.kernels.measure import Request, Session  # noqa: E402
from xfcheck.kernels.reference import attention, hidden  # noqa: E402
from xfcheck.kernels.rows import MeasuringError, require_possible  # noqa: E402
from xfcheck.kernels.trial import trial  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CPU = torch.device("cpu")
QUICK = [b for b in found(CPU) if b.why_not is None and not b.costly and b.family == "attention"]
CASES = {
    "mha": Case("prefill", 2, 24, 24, 4, 4, 16, 16, "float64"),
    "gqa": Case("prefill", 1, 24, 24, 4, 2, 16, 16, "float64"),
    "mqa decode": Case("decode", 2, 1, 40, 4, 1, 16, 16, "float64"),
    "n < m": Case("decode", 1, 5, 40, 4, 2, 16, 16, "float64"),
    "window": Case("prefill", 1, 24, 24, 2, 2, 16, 16, "float64", kind="sliding", window=7),
    "window, n < m": Case("decode", 1, 5, 24, 2, 1, 16, 16, "float64", kind="sliding", window=7),
    "local": Case("prefill", 1, 24, 24, 2, 2, 16, 16, "float64", kind="local", window=5),
    "chunks, n < m": Case("decode", 1, 9, 24, 2, 2, 16, 16, "float64", kind="chunked", window=7),
    "documents": Case("prefill", 2, 24, 24, 4, 2, 16, 16, "float64", kind="document", window=10),
    "prefix": Case("prefill", 1, 24, 24, 4, 2, 16, 16, "float64", kind="prefix", prefix=9),
    "cross": Case("decode", 2, 1, 21, 4, 2, 16, 16, "float64", kind="bidirectional", memory=True),
    "bidirectional": Case("prefill", 1, 9, 21, 2, 2, 16, 16, "float64", kind="bidirectional"),
}


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Always the same numbers; one thread, as these shapes are small and machines shared."""
    before = torch.get_num_threads()
    torch.manual_seed(7)
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def visible(case: Case, at: int) -> tuple[int, int]:
    """The first key that the query at a position sees, and the one after the last."""
    if case.kind == "bidirectional":
        return 0, case.key_length
    if case.kind == "local":
        return max(0, at - case.window), min(case.key_length, at + case.window + 1)
    if case.kind == "prefix":
        return 0, max(at + 1, case.prefix)
    if case.kind in ("chunked", "document"):
        return at - at % case.window, at + 1
    return (max(0, at - case.window + 1) if case.kind == "sliding" else 0), at + 1


def written_out(case: Case, inputs: Inputs) -> list[list[list[float]]]:
    """One sequence, number by number: [head][query][value]."""
    query, key, value = (t[0].tolist() for t in inputs.tensors)
    out = []
    for head in range(case.query_heads):
        kv = head * case.kv_heads // case.query_heads
        rows = []
        for i in range(case.query_length):
            at = i + case.key_length - case.query_length
            first, last = visible(case, at)
            scores = []
            for j in range(first, last):
                score = sum(a * b for a, b in zip(query[head][i], key[kv][j], strict=True)) / math.sqrt(case.head_dim)
                scores.append(math.exp(score if case.softcap is None else case.softcap * math.tanh(score / case.softcap)))
            total = sum(scores) + (0.0 if inputs.sinks is None else math.exp(inputs.sinks[head].item()))
            rows.append([sum(s / total * value[kv][first + j][c] for j, s in enumerate(scores)) for c in range(case.value_dim)])
        out.append(rows)
    return out


@pytest.mark.parametrize(
    "case",
    [
        Case("prefill", 1, 6, 6, 4, 2, 8, 8, "float64"),
        Case("decode", 1, 3, 9, 2, 1, 8, 4, "float64"),
        Case("prefill", 1, 9, 9, 2, 2, 8, 8, "float64", kind="sliding", window=3),
        Case("prefill", 1, 9, 9, 2, 2, 8, 8, "float64", kind="local", window=3),
        Case("decode", 1, 5, 11, 2, 2, 8, 8, "float64", kind="chunked", window=4),
        Case("prefill", 1, 9, 9, 2, 2, 8, 8, "float64", kind="document", window=4),
        Case("prefill", 1, 9, 9, 2, 2, 8, 8, "float64", kind="prefix", prefix=5),
        Case("prefill", 1, 6, 6, 2, 2, 8, 8, "float64", softcap=2.0),
        Case("prefill", 1, 6, 6, 2, 2, 8, 8, "float64", sinks=True),
        Case("prefill", 1, 4, 7, 2, 2, 8, 8, "float64", kind="bidirectional"),
    ],
)
def test_the_reference_itself(case: Case) -> None:
    inputs = fresh(case, CPU)
    got = attention(case, inputs, torch.arange(case.query_length))[0]
    assert (got - torch.tensor(written_out(case, inputs), dtype=torch.float64)).abs().max() < 1e-12


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", QUICK, ids=lambda b: b.name)
def test_every_backend_in_64_bits(backend: Backend, name: str, direction: str) -> None:
    assert trial(backend, CASES[name], direction, CPU).error < 1e-6


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", QUICK, ids=lambda b: b.name)
def test_every_backend_in_bf16(backend: Backend, name: str) -> None:
    from dataclasses import replace

    assert trial(backend, replace(CASES[name], dtype="bfloat16", head_dim=64, value_dim=64), "forward", CPU).error < 1e-2


def test_the_cpu_has_eager_math_and_flash() -> None:
    assert {"eager", "sdpa-math", "sdpa-flash"} <= {b.name for b in QUICK}
    whys = {b.name: b.why_not for b in found(CPU)}
    assert whys["sdpa-cudnn"] is not None
    assert "CUDA" in whys["sdpa-cudnn"]


def test_a_misaligned_is_causal_is_caught() -> None:
    """is_causal aligns to the upper left: right for n = m, wrong for 5 queries at the end of 40 keys."""

    def misaligned(inputs: Inputs) -> torch.Tensor:
        return F.scaled_dot_product_attention(inputs.query, inputs.key, inputs.value, is_causal=True, enable_gqa=True)

    assert check(CASES["gqa"], "forward", misaligned, CPU) < 1e-6
    with pytest.raises(WrongError, match="64-bit reference"):
        check(CASES["n < m"], "forward", misaligned, CPU)


def test_a_wrong_gradient_is_caught() -> None:
    case = CASES["mha"]

    def detached(inputs: Inputs) -> torch.Tensor:
        key = inputs.key * 0.5 + inputs.key.detach() * 0.5
        return attention(case, inputs._replace(key=key), torch.arange(case.query_length))

    assert check(case, "forward", detached, CPU) < 1e-6
    with pytest.raises(WrongError, match="dkey"):
        check(case, "backward", detached, CPU)


def test_nan_is_wrong() -> None:
    with pytest.raises(WrongError):
        check(CASES["mha"], "forward", lambda inputs: inputs.query * float("nan"), CPU)


def test_zero_inputs_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """On zeros a kernel that computes nothing agrees with the reference."""
    zeros = Inputs(*(torch.zeros(1, 2, 8, 16, dtype=torch.float64) for _ in range(3)))
    with pytest.raises(DegenerateError, match="constant"):
        require_varied(zeros)
    monkeypatch.setattr("xfcheck.kernels.check.fresh", lambda *_, **__: zeros)
    with pytest.raises(DegenerateError):
        check(Case("prefill", 1, 8, 8, 2, 2, 16, 16, "float64"), "forward", lambda inputs: inputs.value, CPU)


def test_inputs_are_fresh() -> None:
    case = CASES["mha"]
    first, second = fresh(case, CPU), fresh(case, CPU)
    assert not torch.equal(first.query, second.query)
    assert abs(float(fresh(Case("", 1, 512, 512, 4, 4, 64, 64, "float64"), CPU).key.std()) - 1) < 0.01


def test_missing_synchronisation_is_caught() -> None:
    """A device that takes 50 ms for a product and returns at once: without waiting the figure is one that no machine reaches."""
    pending = []
    with ThreadPoolExecutor(1) as pool:

        def launch() -> object:
            pending.append(pool.submit(time.sleep, 0.05))
            return None

        def finish() -> None:
            while pending:
                pending.pop().result()

        careless, careful = Timed(launch), Timed(launch)
        Clock(synchronise=lambda: None).rounds([careless], float("inf"), 3)
        finish()
        Clock(synchronise=finish).rounds([careful], float("inf"), 3)
    assert careful.median >= 0.05
    most = bound(CPU, "", "float32")
    assert most is not None
    flops = int(most * 0.05 / 2)
    require_possible(flops / careful.median, most)
    with pytest.raises(MeasuringError, match="not waited for"):
        require_possible(flops / careless.median, most)


def test_an_impossible_figure_gives_no_row() -> None:
    """A kernel of another's work: its numbers are right, its time is not."""
    request = Request((64,), ("prefill",), 1, 1, "float64")
    session = Session(request, CPU, {"name": ""}, Ceilings(1e12, 1e10, "measured"), time.monotonic() + 60, Clock())
    backend = next(b for b in QUICK if b.name == "eager")
    session.backends = [backend]
    session.clock.sample = lambda timed: 1e-12  # type: ignore[method-assign]
    session.group([CASES["mha"]], "forward")
    assert session.rows == []
    assert "above what this device can reach" in session.refused[0]["why"]


def test_falling_to_math_is_noticed() -> None:
    inputs = fresh(CASES["mha"], CPU)
    flash = next(b for b in QUICK if b.name == "sdpa-flash")
    assert flash.prepare is not None
    call = flash.prepare(CASES["mha"], CPU)
    require_itself(flash, ran(lambda: call(inputs)))
    with pytest.raises(ImpossibleError, match="math"):
        require_itself(flash, ran(lambda: attention(CASES["mha"], inputs, torch.arange(24))))


def test_flops_and_bytes() -> None:
    """Worked out by hand: 3 queries at the end of 5 keys see 3 + 4 + 5 = 12."""
    case = Case("decode", 2, 3, 5, 4, 2, 8, 6, "bfloat16")
    assert case.pairs == 12
    assert case.flops("forward") == 2 * 2 * 4 * (8 + 6) * 12
    assert case.flops("backward") == 2 * 2 * 4 * (3 * 8 + 2 * 6) * 12
    assert case.bytes("forward") == 2 * 2 * (3 * 4 * 8 + 3 * 4 * 6 + 5 * 2 * 8 + 5 * 2 * 6)
    assert Case("", 1, 4, 4, 1, 1, 8, 8, "float32", kind="sliding", window=2).pairs == 1 + 2 + 2 + 2
    equal = Case("", 1, 64, 64, 4, 4, 32, 32, "float32")
    assert equal.flops("backward") * 2 == equal.flops("forward") * 5


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_pairs_are_those_of_the_mask(case: Case) -> None:
    assert case.pairs == int((~hidden(case, torch.arange(case.query_length))).sum())


def test_quantiles_and_spread() -> None:
    assert quantile([4.0, 1.0, 3.0, 2.0, 5.0], 0.5) == 3.0
    timed = Timed(lambda: None, samples=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert timed.median == 3.5
    assert timed.spread == pytest.approx((5.0 - 2.0) / 3.5)


def test_rounds_alternate() -> None:
    order: list[str] = []
    variants = [Timed(lambda: order.append("a")), Timed(lambda: order.append("b"))]
    assert Clock().rounds(variants, float("inf"), 4) == 4
    assert order == ["a", "b"] * 4
    assert Clock().rounds(variants, time.monotonic() - 1, 9) == 3


def test_the_roofline() -> None:
    roof = Ceilings(1e12, 1e11, "measured")
    assert roof.seconds(2 * 10**12, 10**11) == 2.0
    assert roof.binds(2 * 10**12, 10**11) == "compute"
    assert roof.binds(10**11, 10**11) == "memory"


def compared(call: Callable[[], object]) -> float:
    """Our median as a share of torch's."""
    from torch.utils.benchmark import Timer

    timed = Timed(call)
    clock = Clock()
    clock.warm(timed)
    timer = Timer("call()", globals={"call": call}, num_threads=1)
    theirs = []
    for _ in range(9):
        clock.rounds([timed], float("inf"), 1)
        theirs.append(timer.timeit(2).median)
    return timed.median / quantile(theirs, 0.5)


def test_the_clock_agrees_with_torch() -> None:
    """A 1024 x 1024 product in one thread, rounds alternating with torch's timer; six tries, because machines are shared."""
    a = torch.rand(1024, 1024)
    ratios = []
    for _ in range(6):
        ratios.append(compared(lambda: a @ a))
        if abs(ratios[-1] - 1) < 0.1:
            return
    pytest.fail(f"our time as a share of torch's: {ratios}")
