"""What is asked of torch on a CUDA device, with a torch that writes it down; names and peaks of GPUs."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn.attention import SDPBackend  # noqa: E402
from torch.nn.attention.bias import CausalBias  # noqa: E402

from xfcheck.kernels import machine  # noqa: E402
from xfcheck.kernels.case import Case  # noqa: E402
from xfcheck.kernels.clock import GRAPH, Timed  # noqa: E402
from xfcheck.kernels.gpu import Cuda  # noqa: E402
from xfcheck.kernels.rows import MeasuringError, require_possible  # noqa: E402
from xfcheck.kernels.sdpa import masked  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

CUDA = torch.device("cuda", 0)


class Pretended:
    """torch.cuda: streams, graphs and events that note when they are used. A call takes 1 us, a launch as much again."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.time = 0.0

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        notes = self.notes
        outer = self

        class Stream(SimpleNamespace):
            def wait_stream(self, other: Any) -> None:
                notes.append(f"{self.name} waits for {other.name}")

        class Graph:
            def replay(self) -> None:
                notes.append("replay")
                outer.time += 5e-6

        class Event:
            def __init__(self, enable_timing: bool) -> None:
                assert enable_timing

            def record(self) -> None:
                self.at = outer.time

            def synchronize(self) -> None:
                notes.append("wait for event")

            def elapsed_time(self, end: Any) -> float:
                return (end.at - self.at) * 1e3

        @contextmanager
        def noted(what: Any) -> Iterator[None]:
            name = what.name if isinstance(what, Stream) else "graph"
            notes.append(f"begin {name}")
            yield
            notes.append(f"end {name}")

        for name, value in {
            "synchronize": lambda _device: notes.append("synchronize"), "current_stream": lambda _device: Stream(name="main"),
            "Stream": lambda _device: Stream(name="beside"), "stream": noted, "CUDAGraph": Graph, "graph": noted, "Event": Event,
            "get_device_properties": lambda _device: SimpleNamespace(
                name="NVIDIA H200", total_memory=150_754_820_096, L2_cache_size=60 * 1024**2, multi_processor_count=132
            ),
        }.items():  # fmt: skip
            monkeypatch.setattr(torch.cuda, name, value)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Pretended:
    pretended = Pretended()
    pretended.install(monkeypatch)
    return pretended


def test_a_graph_is_captured_after_a_warm_up_on_another_stream(gpu: Pretended) -> None:
    """As torch's notes on CUDA graphs have it: the side stream waits, warms up, is waited for; then the calls are recorded."""
    replay = Cuda(CUDA, 1024).capture(lambda: gpu.notes.append("call"), 2)
    assert gpu.notes == [
        "beside waits for main", "begin beside", "call", "call", "call", "end beside", "main waits for beside", "begin graph", "call",
        "call", "end graph",
    ]  # fmt: skip
    replay()
    assert gpu.notes[-1] == "replay"


def test_a_small_call_is_timed_by_replays(gpu: Pretended) -> None:
    clock = machine.clock_of(CUDA)
    timed = Timed(lambda: setattr(gpu, "time", gpu.time + 1e-6), capturable=True)
    clock.warm(timed)
    clock.rounds([timed], float("inf"), 3)
    assert timed.timer == GRAPH
    assert timed.samples == pytest.approx([5e-6 / timed.calls] * 3)


def test_the_cache_is_flushed_with_twice_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Buffer:
        def zero_(self) -> None:
            made.append("zeros")

    monkeypatch.setattr(torch, "empty", lambda size, **_: made.append(size) or Buffer())
    cuda = Cuda(CUDA, 1024)
    cuda.flush()
    cuda.flush()
    assert made == [2048, "zeros", "zeros"]


@pytest.mark.parametrize(
    ("name", "memory", "found"),
    [
        ("NVIDIA H200", 150_754_820_096, "h200"),
        ("NVIDIA H100 80GB HBM3", 84_930_000_000, "h100-sxm"),
        ("NVIDIA H100 PCIe", 84_930_000_000, "h100-pcie"),
        ("NVIDIA H100 NVL", 99_800_000_000, "h100-nvl"),
        ("NVIDIA A100-SXM4-80GB", 84_930_000_000, "a100-sxm-80gb"),
        ("NVIDIA A100-SXM4-40GB", 42_300_000_000, "a100-sxm-40gb"),
        ("NVIDIA A100 80GB PCIe", 84_930_000_000, "a100-pcie-80gb"),
        ("NVIDIA B200", 191_000_000_000, "b200"),
        ("NVIDIA GeForce RTX 4090", 25_200_000_000, "rtx-4090"),
        ("NVIDIA L40S", 47_600_000_000, "l40s"),
        ("NVIDIA A10G", 23_600_000_000, "a10g"),
        ("NVIDIA H100 MIG 1g.10gb", 10_000_000_000, None),
        ("NVIDIA T4", 15_800_000_000, "t4"),
        ("NVIDIA T400", 4_000_000_000, None),
        ("", 15_800_000_000, None),
    ],
)
def test_names_that_drivers_give(name: str, memory: int, found: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _where: SimpleNamespace(total_memory=memory))
    entry = machine.listed(CUDA, name)
    assert (None if entry is None else entry.id) == found


def test_above_the_peak_is_a_measuring_error(gpu: Pretended) -> None:
    """989 TFLOP/s of an H200 in bf16; of a GPU that is not in the table, what no multiprocessor does."""
    most = machine.bound(CUDA, "NVIDIA H200", "bfloat16")
    assert most == 989e12
    require_possible(980e12, most)
    with pytest.raises(MeasuringError, match="not waited for or not done"):
        require_possible(1000e12, most)
    unknown = machine.bound(CUDA, "Another", "bfloat16")
    assert unknown == 132 * 4e9 * 32768


def test_lower_right_without_a_mask_in_memory() -> None:
    """On a GPU flash and memory-efficient attention have a causal mask of their own; math and cuDNN are given one."""
    case = Case("decode", 1, 4, 64, 4, 4, 64, 64, "bfloat16")
    for which in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
        bias, causal = masked(case, CUDA, which)
        assert isinstance(bias, CausalBias)
        assert (bias.seq_len_q, bias.seq_len_kv, causal) == (4, 64, False)
        assert bias.variant.name == "LOWER_RIGHT"


def test_one_gpu_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    assert machine.device(None) == CUDA
    assert machine.device("cuda") == CUDA
    assert machine.device("cpu") == torch.device("cpu")
