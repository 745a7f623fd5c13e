"""Calls of packages that are not installed here, against pretended ones with the signatures of the real ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch")

from kernels.pretended import install  # noqa: E402
from xfcheck.kernels import packages  # noqa: E402
from xfcheck.kernels.backend import ImpossibleError  # noqa: E402
from xfcheck.kernels.case import Case  # noqa: E402
from xfcheck.kernels.check import check  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

CPU, CUDA = torch.device("cpu"), torch.device("cuda")
BY_NAME = {package.name: package for package in packages.PACKAGES}
PLAIN = Case("prefill", 1, 24, 24, 4, 4, 32, 32, "bfloat16")
CASES = {
    "causal": PLAIN,
    "two sequences": replace(PLAIN, batch=2),
    "gqa": replace(PLAIN, kv_heads=2),
    "mqa, n < m": replace(PLAIN, kv_heads=1, query_length=5),
    "decode": replace(PLAIN, query_length=1, kv_heads=2),
    "decode of two": replace(PLAIN, batch=2, query_length=1, kv_heads=2),
    "window": replace(PLAIN, kind="sliding", window=7),
    "window, n < m": replace(PLAIN, kind="sliding", window=7, query_length=5),
    "window of a step": replace(PLAIN, kind="sliding", window=7, query_length=1),
    "bidirectional": replace(PLAIN, kind="bidirectional", query_length=9),
    "scale": replace(PLAIN, scale=0.3),
    "local": replace(PLAIN, kind="local", window=4),
    "softcap": replace(PLAIN, softcap=2.0),
    "sinks": replace(PLAIN, sinks=True),
    "documents": replace(PLAIN, kind="document", window=10, batch=2, kv_heads=2),
    "chunks": replace(PLAIN, kind="chunked", window=7, query_length=9),
    "narrow values": replace(PLAIN, value_dim=16),
}
LACKS = {
    "flash-attn": {"sinks", "chunks", "narrow values"},
    "flash-attn-3": {"sinks"},
    "flash-attn-4": {"documents", "chunks"},
    "flashinfer": {"sinks", "local", "documents", "chunks"},
    "xformers": {"softcap", "sinks", "documents", "chunks"},
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("package", BY_NAME)
def test_calls(package: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    prepare = BY_NAME[package].prepare
    if name in LACKS[package]:
        with pytest.raises(ImpossibleError):
            prepare(CASES[name], CPU)
        return
    assert check(CASES[name], "forward", prepare(CASES[name], CPU), CPU, "BNHD") < 1e-2


@pytest.mark.parametrize("package", BY_NAME)
def test_inputs_are_not_copied(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kernel is given with the tokens first lies so in memory: no transposition is timed."""
    from xfcheck.kernels.inputs import fresh

    inputs = fresh(replace(PLAIN, batch=2), CPU, layout="BNHD")
    assert inputs.query.shape == (2, 4, 24, 32)
    assert all(t.transpose(1, 2).is_contiguous() for t in inputs.tensors)
    assert BY_NAME[package].prepare is not None


def test_32_bits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    for package in packages.PACKAGES:
        with pytest.raises(ImpossibleError, match="16 bits"):
            package.prepare(replace(PLAIN, dtype="float32"), CPU)


def test_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not installed; a CPU; an older generation; here."""
    three = BY_NAME["flash-attn-3"]
    assert packages.why_not(three, CPU) == "flash_attn_interface is not installed"
    monkeypatch.setattr(packages, "installed", lambda _module: True)
    assert "CPU" in str(packages.why_not(three, CPU))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _device: (8, 0))
    assert packages.why_not(three, CUDA) == "needs compute capability 9.0; this device has 8.0"
    assert packages.why_not(BY_NAME["flash-attn"], CUDA) is None
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _device: (9, 0))
    assert packages.why_not(three, CUDA) is None


@pytest.mark.parametrize(("two", "four"), [(True, False), (False, True), (True, True)])
def test_flash_attn_2_and_4_share_a_name(two: bool, four: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 4 alone is a folder without a module of its own."""
    (tmp_path / "flash_attn").mkdir()
    if two:
        (tmp_path / "flash_attn" / "__init__.py").write_text("raise RuntimeError('not imported to look for it')")
    if four:
        (tmp_path / "flash_attn" / "cute").mkdir()
        (tmp_path / "flash_attn" / "cute" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert packages.installed("flash_attn") is two
    assert packages.installed("flash_attn.cute") is four


def test_what_does_not_load_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "flash_attn_interface.py").write_text("raise ImportError('undefined symbol')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImpossibleError, match="does not load: undefined symbol"):
        BY_NAME["flash-attn-3"].prepare(PLAIN, CPU)
