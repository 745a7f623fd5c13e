"""At which clock a device ran: read from what the machine offers, never set."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

FIELDS = "clocks.sm,clocks.max.sm"


class Reading(NamedTuple):
    """MHz now and at most; null where unknown."""

    mhz: int | None
    most_mhz: int | None


UNKNOWN = Reading(None, None)


class Frequency(NamedTuple):
    """`source` names what was asked (`nvml`, `nvidia-smi`, `cpufreq`, `cpuinfo`) or is `unknown`, then `why` says why."""

    source: str
    why: str | None
    read: Callable[[], Reading]


def frequency(where: torch.device, cores: list[int]) -> Frequency:
    """What reads the clock of a device. Cores of a CPU are read at the first one that is used."""
    if where.type == "cpu":
        return _of_core(cores[0] if cores else 0, Path("/sys/devices/system/cpu"), Path("/proc/cpuinfo"))
    return _of_gpu(_uuid(where))


def _uuid(where: torch.device) -> str | None:
    """The GPU's own name for itself: indices of torch and of the driver differ where some GPUs are hidden."""
    import torch

    known = getattr(torch.cuda.get_device_properties(where), "uuid", None)
    return None if known is None else f"GPU-{known}"


def _of_gpu(uuid: str | None) -> Frequency:
    if uuid is None:
        return Frequency("unknown", "this torch does not tell which GPU it uses", lambda: UNKNOWN)
    whys = []
    for source, ask in (("nvml", _nvml), ("nvidia-smi", _smi)):
        try:
            read = ask(uuid)
            read()
        except Exception as problem:  # drivers and their libraries fail in ways of their own; the reason is reported
            whys.append(f"{source}: {str(problem)[:100] or type(problem).__name__}")
            continue
        return Frequency(source, None, partial(_safe, read))
    return Frequency("unknown", "; ".join(whys), lambda: UNKNOWN)


def _safe(read: Callable[[], Reading]) -> Reading:
    try:
        return read()
    except Exception:  # a clock that cannot be read now is unknown now; the measurement goes on
        return UNKNOWN


def _nvml(uuid: str) -> Callable[[], Reading]:
    import pynvml

    pynvml.nvmlInit()
    handle: Any = pynvml.nvmlDeviceGetHandleByUUID(uuid)
    kind = pynvml.NVML_CLOCK_SM
    return lambda: Reading(int(pynvml.nvmlDeviceGetClockInfo(handle, kind)), int(pynvml.nvmlDeviceGetMaxClockInfo(handle, kind)))


def _smi(uuid: str) -> Callable[[], Reading]:
    if which("nvidia-smi") is None:
        raise OSError("not there")

    def read() -> Reading:
        asked = ["nvidia-smi", f"--id={uuid}", f"--query-gpu={FIELDS}", "--format=csv,noheader,nounits"]
        told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=10).stdout
        now, most = (int(part) if part.strip().isdigit() else None for part in told.strip().splitlines()[0].split(","))
        return Reading(now, most)

    return read


def _of_core(core: int, kernel: Path, cpuinfo: Path) -> Frequency:
    """The kernel's governor where it has one, else what /proc/cpuinfo says of the core."""
    folder = kernel / f"cpu{core}" / "cpufreq"

    def governed() -> Reading:
        now, most = (int((folder / name).read_text()) // 1000 for name in ("scaling_cur_freq", "cpuinfo_max_freq"))
        return Reading(now, most)

    def listed() -> Reading:
        found = [line.partition(":")[2] for line in cpuinfo.read_text(encoding="utf-8").splitlines() if line.startswith("cpu MHz")]
        return Reading(round(float(found[core if core < len(found) else 0])), None)

    for source, read in (("cpufreq", governed), ("cpuinfo", listed)):
        if _safe(read).mhz is not None:
            return Frequency(source, None, partial(_safe, read))
    return Frequency("unknown", "neither the kernel's governor nor /proc/cpuinfo tells it", lambda: UNKNOWN)
