"""What a report says of its rows, from rows written by hand; and MQA against MHA as it is measured here."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from xfcheck.kernels.backends import found  # noqa: E402
from xfcheck.kernels.case import Case  # noqa: E402
from xfcheck.kernels.explain import explained  # noqa: E402
from xfcheck.kernels.machine import Ceilings, clock_of, measured  # noqa: E402
from xfcheck.kernels.measure import Request, Session  # noqa: E402
from xfcheck.kernels.plot import of  # noqa: E402
from xfcheck.reports.comparison_svg import svg  # noqa: E402

CPU = torch.device("cpu")
ROOF = {"flops_per_s": 8e12, "bytes_per_s": 1e12, "source": "measured"}


def row(variant: str, moved: int, ms: float, **more: Any) -> dict[str, Any]:
    """A decoding step of 64,000 FLOPs; the roofline of 8 FLOPs a byte says what binds."""
    flops = 64_000
    least = max(flops / 8e12, moved / 1e12) * 1e3
    return {
        "backend": "sdpa-flash", "direction": "forward", "phase": "decode", "mixer": "attention", "variant": variant, "dtype": "float32",
        "batch": 1, "query_length": 1, "key_length": 4096, "query_heads": 32, "kv_heads": 32, "head_dim": 128, "value_dim": 128,
        "mask": "causal", "window": None, "prefix": None, "median_ms": ms, "spread": 0.02, "flops": flops, "bytes": moved,
        "roofline_ms": least, "roofline_fraction": least / ms, "binds": "compute" if flops / 8e12 >= moved / 1e12 else "memory",
        "operators": ["_scaled_dot_product_flash_attention_for_cpu"], "tflops_per_s": flops / ms / 1e9, **more,
    }  # fmt: skip


def test_as_predicted() -> None:
    """128,000 and 16,000 bytes: both wait for memory, 8 times as fast."""
    (told,) = explained([row("mha", 128_000, 2e-4), row("gqa:4", 16_000, 2.5e-5)], ROOF)
    assert "8 times fewer bytes" in told
    assert "both wait for memory" in told
    assert "Predicted 8 times as fast, measured 8 times." in told


def test_arithmetic_ends_the_gain() -> None:
    """4,000 bytes take 4 ns and 64,000 FLOPs 8 ns: 128 / 8 = 16 times, not 32."""
    (told,) = explained([row("mha", 128_000, 2e-4), row("mqa", 4_000, 5e-5)], ROOF)
    assert "32 times fewer bytes" in told
    assert "mha waits for memory, mqa for arithmetic" in told
    assert "Predicted 16 times as fast, measured 4 times; the kernel reaches 16% of its roofline there, of that of mha 64%." in told


def test_the_quickest_kernel_of_mha_is_compared() -> None:
    slow = {"backend": "sdpa-math"}
    rows = [row("mha", 128_000, 9e-4, **slow), row("mha", 128_000, 2e-4), row("mqa", 4_000, 9e-3, **slow), row("mqa", 4_000, 5e-5)]
    (told,) = explained(rows, ROOF)
    assert "(sdpa-flash, forward, decode of 1 over 4096 keys, heads of 128)" in told


def test_a_silent_fallback_of_enable_gqa_is_said() -> None:
    (told,) = explained([row("gqa:8", 128_000, 2e-4, backend="sdpa", operators=["math"], kv_heads=8)], ROOF)
    assert "fell back to its math backend" in told
    assert "enable_gqa, 32 query heads on 8" in told
    assert explained([row("gqa:8", 128_000, 2e-4, backend="sdpa", kv_heads=8)], ROOF) == []


def test_the_plot_shows_reached_and_predicted() -> None:
    device = {"type": "cpu", "name": "A <CPU>", "threads": 1, "instructions": "AVX2", "torch": "2", "clock": {"source": "x", "why": None}}
    rows = [row("mha", 128_000, 2e-4, clock_mhz=[None, None]), row("mqa", 4_000, 5e-5, clock_mhz=[None, None])]
    plot = of({"rows": rows, "ceilings": ROOF, "device": device, "path": "x"})
    assert plot.measured == pytest.approx([3.2e11, 1.28e12])
    assert plot.attainable == [5e11, 8e12]
    drawn = svg(plot)
    assert re.search(r"at most 500(\.0+)? GFLOP/s, reached 320(\.0+)? GFLOP/s", drawn)
    assert "A &lt;CPU&gt;" in drawn


def test_mqa_decodes_faster_than_mha_and_the_report_says_why() -> None:
    """32 query heads of 64, one query, 4,096 keys, one thread; three tries, because machines are shared."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        _against_mha()
    finally:
        torch.set_num_threads(before)


def _against_mha() -> None:
    """Bytes are 2 m H_kv d of keys and values, and 2 H_q d of the query and the output."""
    roof = measured(CPU, "float32")
    for _ in range(3):
        request = Request((4096,), ("decode",), 1, 1, "float32")
        backends = [b for b in found(CPU) if b.name == "sdpa-flash"]
        session = Session(request, CPU, {"name": ""}, roof, time.monotonic() + 60, clock_of(CPU), backends=backends)
        mha = Case("decode", 1, 1, 4096, 32, 32, 64, 64, "float32", variant="mha")
        session.group([mha, replace(mha, kv_heads=1, variant="mqa")], "forward")
        whole, one = session.rows
        assert whole["flops"] == one["flops"] == 2 * 32 * 128 * 4096
        assert (whole["bytes"], one["bytes"]) == (4 * 64 * (2 * 4096 * 32 + 2 * 32), 4 * 64 * (2 * 4096 + 2 * 32))
        (told,) = explained(session.rows, {"flops_per_s": roof.flops_per_s, "bytes_per_s": roof.bytes_per_s})
        assert "the same FLOPs, 31.8 times fewer bytes" in told
        assert "mha waits for memory" in told or "both wait for memory" in told
        if one["median_ms"] < whole["median_ms"]:
            return
    pytest.fail(f"MQA took {one['median_ms']:.3g} ms, MHA {whole['median_ms']:.3g} ms")


def test_ceilings_are_compared_side_by_side() -> None:
    roof = Ceilings(8e12, 1e12, "measured")
    assert roof.seconds(64_000, 4_000) == 8e-9
    assert roof.binds(64_000, 4_000) == "compute"
