"""Clocks of devices: read where something tells them, else unknown with the reason."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch")

from xfcheck.kernels import frequency  # noqa: E402
from xfcheck.kernels.frequency import UNKNOWN, Reading  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

CUDA = torch.device("cuda")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _where: SimpleNamespace(uuid="1234"))


def library(broken: bool = False) -> ModuleType:
    """The names of pynvml that are used; it knows one GPU."""
    module = ModuleType("pynvml")
    module.NVML_CLOCK_SM = 1
    module.nvmlInit = lambda: None
    module.nvmlDeviceGetHandleByUUID = {"GPU-1234": "handle"}.__getitem__
    clocks = {("handle", 1): 1755}
    module.nvmlDeviceGetClockInfo = lambda handle, kind: clocks[handle, kind]
    module.nvmlDeviceGetMaxClockInfo = lambda _handle, _kind: 1980
    if broken:
        module.nvmlInit = lambda: (_ for _ in ()).throw(RuntimeError("driver not loaded"))
    return module


def test_the_drivers_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", library())
    found = frequency.frequency(CUDA, [])
    assert (found.source, found.why) == ("nvml", None)
    assert found.read() == Reading(1755, 1980)


@pytest.mark.parametrize(("told", "expected"), [("1410, 1980\n", Reading(1410, 1980)), ("[N/A], 1980\n", Reading(None, 1980))])
def test_the_drivers_command(told: str, expected: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setitem(sys.modules, "pynvml", library(broken=True))
    monkeypatch.setattr(frequency, "which", lambda _name: "/usr/bin/nvidia-smi")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(command) or SimpleNamespace(stdout=told))
    found = frequency.frequency(CUDA, [])
    assert found.source == "nvidia-smi"
    assert found.read() == expected
    assert asked[0] == ["nvidia-smi", "--id=GPU-1234", "--query-gpu=clocks.sm,clocks.max.sm", "--format=csv,noheader,nounits"]


def test_unknown_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setattr(frequency, "which", lambda _name: None)
    found = frequency.frequency(CUDA, [])
    assert found.source == "unknown"
    assert found.why is not None
    assert "nvml" in found.why
    assert "nvidia-smi: not there" in found.why
    assert found.read() == UNKNOWN


def test_a_clock_that_stops_answering_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    module = library()
    monkeypatch.setitem(sys.modules, "pynvml", module)
    found = frequency.frequency(CUDA, [])
    module.nvmlDeviceGetClockInfo = lambda *_: (_ for _ in ()).throw(RuntimeError("lost"))
    assert found.read() == UNKNOWN


def test_a_core(tmp_path: Path) -> None:
    """The governor of the core first, in kHz; else the core's line of /proc/cpuinfo."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("model name : A\ncpu MHz : 2600.123\nmodel name : A\ncpu MHz : 3100.9\n")
    listed = frequency._of_core(1, tmp_path, cpuinfo)
    assert (listed.source, listed.read()) == ("cpuinfo", Reading(3101, None))
    folder = tmp_path / "cpu1" / "cpufreq"
    folder.mkdir(parents=True)
    (folder / "scaling_cur_freq").write_text("2900000\n")
    (folder / "cpuinfo_max_freq").write_text("3900000\n")
    governed = frequency._of_core(1, tmp_path, cpuinfo)
    assert (governed.source, governed.read()) == ("cpufreq", Reading(2900, 3900))
    nothing = frequency._of_core(0, tmp_path, tmp_path / "none")
    assert nothing.source == "unknown"
    assert nothing.why is not None
