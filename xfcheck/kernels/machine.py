"""The device that measures: its name, how many threads, its caches, and what no figure of it can exceed."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any, NamedTuple

import torch

from ..devices import Device, devices
from ..problems import Usage
from .clock import Clock, Timed
from .gpu import Cuda

CLOCK = 6_500_000_000
"""Cycles a second that no CPU core exceeds."""
PER_CYCLE = {"float64": 16, "float32": 32, "bfloat16": 32, "float16": 32}
"""FLOPs of a core with two 256-bit units that multiply and add, a cycle."""
MATRIX_UNITS = 2048
"""The same for cores with matrix units (16 rows of 64 bytes, each with 2 FLOPs of 16 bits: 16 * 16 * 2 * 2 = 1024, doubled to be safe)."""
FALLBACK_CACHE = 32 * 1024**2
GPU_CLOCK = 4_000_000_000
GPU_PER_CYCLE = 32768
"""FLOPs of a multiprocessor a cycle that none has: an NVIDIA B200 has 2.25e15 / 148 / 1.85e9 = 8,200 in 16 bits."""


class Ceilings(NamedTuple):
    """What a roofline is drawn with: FLOP/s and bytes/s, and where they are from (`table: ...` or `measured`)."""

    flops_per_s: float
    bytes_per_s: float
    source: str

    @property
    def measured(self) -> bool:
        """Whether this machine gave them; a vendor's peak is a bound, a measured one may have been disturbed."""
        return self.source == "measured"

    def seconds(self, flops: int, moved: int) -> float:
        """The least time of a kernel under the roofline."""
        return max(flops / self.flops_per_s, moved / self.bytes_per_s)

    def binds(self, flops: int, moved: int) -> str:
        """Which side the roofline gives: `compute` or `memory`."""
        return "compute" if flops / self.flops_per_s >= moved / self.bytes_per_s else "memory"


def device(asked: str | None) -> torch.device:
    """The device asked for, else a GPU where there is one. Raises Usage for one that is not there."""
    if asked not in (None, "cpu", "cuda"):
        raise Usage(f"--device is cpu or cuda, not {asked!r}")
    if asked == "cuda" and not torch.cuda.is_available():
        raise Usage("--device cuda: torch finds no CUDA device")
    if asked == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device())


def pin(threads: int | None) -> list[int]:
    """Bind the process to as many cores as it will have threads, and torch to that many threads. Gives the cores, empty where unknown."""
    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    count = threads or len(allowed) or os.cpu_count() or 1
    if allowed and count > len(allowed):
        raise Usage(f"--threads {count}: this process may use {len(allowed)} cores")
    cores = allowed[:count]
    if cores and len(cores) < len(allowed):
        os.sched_setaffinity(0, cores)
    torch.set_num_threads(count)
    return cores


def described(where: torch.device, cores: list[int]) -> dict[str, Any]:
    """Name, threads and versions, for the report."""
    if where.type == "cuda":
        properties = torch.cuda.get_device_properties(where)
        return {
            "type": "cuda", "name": properties.name, "compute_capability": f"{properties.major}.{properties.minor}",
            "torch": torch.__version__, "cuda": torch.version.cuda,
        }  # fmt: skip
    return {
        "type": "cpu", "name": _cpu_name(), "instructions": torch.backends.cpu.get_cpu_capability(), "threads": torch.get_num_threads(),
        "cores": cores, "torch": torch.__version__,
    }  # fmt: skip


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def cache_bytes(where: torch.device) -> int:
    """Bytes of the last cache before memory: inputs rotate over more than that."""
    if where.type == "cuda":
        return int(torch.cuda.get_device_properties(where).L2_cache_size)
    sizes = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"))
    try:
        return max((int(path.read_text().strip().removesuffix("K")) * 1024 for path in sizes), default=FALLBACK_CACHE)
    except (OSError, ValueError):
        return FALLBACK_CACHE


def clock_of(where: torch.device) -> Clock:
    """What times calls there."""
    return Clock(Cuda(where, cache_bytes(where)) if where.type == "cuda" else None)


def free_bytes(where: torch.device) -> int:
    """Memory that a case may take: half of what is free."""
    if where.type == "cuda":
        return int(torch.cuda.mem_get_info(where)[0]) // 2
    try:
        lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        free = 4 * 1024**3
    return free // 2


def listed(where: torch.device, name: str) -> Device | None:
    """The entry of the devices table for a GPU's own name, where exactly one is meant."""
    if where.type != "cuda":
        return None
    words = _words(name)
    memory = torch.cuda.get_device_properties(where).total_memory
    near = [d for d in devices().values() if words and words <= _words(d.name)]
    near = [d for d in near if 0.85 * d.memory_bytes <= memory <= 1.1 * d.memory_bytes]
    return near[0] if len({(d.bandwidth_bytes_per_s, *sorted(d.peaks_flops.items())) for d in near}) == 1 else None


def _words(name: str) -> set[str]:
    """What tells GPUs apart in a name. Sizes do not: memory is compared. A driver's HBM is the board with a socket (H100 80GB HBM3)."""
    told = re.sub(r"\bsxm\d\b", "sxm", name.lower().replace("-", " "))
    words = {w for w in told.split() if not re.fullmatch(r"\d+gb|hbm\w*|nvidia|server|workstation|edition", w)}
    return words | {"sxm"} if re.search(r"\bhbm", told) and not words & {"pcie", "nvl", "sxm"} else words


def bound(where: torch.device, name: str, dtype: str) -> float | None:
    """FLOP/s that nothing on this device exceeds: the table's dense peak, else units, a clock that none has and the widest of them."""
    if where.type == "cuda":
        entry = listed(where, name)
        peak = None if entry is None else entry.peak(dtype)
        units = torch.cuda.get_device_properties(where).multi_processor_count
        return float(units * GPU_CLOCK * GPU_PER_CYCLE if peak is None else peak)
    capability = torch.backends.cpu.get_cpu_capability()
    known = capability == "AVX2" and not _wide()
    return float(torch.get_num_threads() * CLOCK * (PER_CYCLE[dtype] if known else MATRIX_UNITS))


def _wide() -> bool:
    """Whether the processor has units that torch's own kernels do not use and its libraries may."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return True
    return "avx512" in flags or "amx" in flags


def ceilings(where: torch.device, name: str, dtype: str, *, measure: bool) -> Ceilings:
    """From the devices table, or measured where asked for and where the table does not have the device."""
    entry = listed(where, name)
    peak = None if entry is None else entry.peak(dtype)
    if not measure and entry is not None and peak is not None and entry.bandwidth_bytes_per_s is not None:
        return Ceilings(float(peak), float(entry.bandwidth_bytes_per_s), f"table: {entry.id}")
    return measured(where, dtype)


def measured(where: torch.device, dtype: str) -> Ceilings:
    """A copy larger than the caches (read and write counted) and a square product; the best of a few samples each."""
    gpu = where.type == "cuda"
    n = 8192 if gpu else 1024
    kind = getattr(torch, dtype)
    a, b = (torch.rand(n, n, device=where).sub_(0.5).to(kind) for _ in range(2))
    size = max(4 * cache_bytes(where), 64 * 1024**2)
    size = min(size, 256 * 1024**2) if not gpu else max(size, 1024**3)
    source = torch.empty(size, dtype=torch.uint8, device=where).random_()
    target = torch.zeros_like(source)
    clock = clock_of(where)
    product, copy = Timed(lambda: torch.mm(a, b)), Timed(lambda: target.copy_(source))
    for timed in (product, copy):
        clock.warm(timed)
    clock.rounds([product, copy], float("inf"), 5)
    return Ceilings(2 * n**3 / min(product.samples), 2 * size / min(copy.samples), "measured")
