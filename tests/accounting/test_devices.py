"""Devices, what fits them, and what engines leave for the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.accounting.fit import cache_pool, largest
from xfcheck.accounting.units import amount, binary, si
from xfcheck.devices import devices, find
from xfcheck.model import understand
from xfcheck.problems import Usage

if TYPE_CHECKING:
    from pathlib import Path

LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256, "tie_word_embeddings": False, "dtype": "bfloat16",
}  # fmt: skip


def costs(**options: Any) -> dict[str, Any]:
    return budget(understand(LLAMA, None), Options(context=8192, **options))  # type: ignore[arg-type]


# vLLM's log of version 0: memory (or budget), share, weights, non-torch, activation peak -> KV cache, GiB
LOGS = [
    (55.09, 1, 8.63, 0.09, 1.16, 45.21), (11.89, 1, 8.51, 0.26, 0.94, 2.18), (4.0, 1, 1.49, 0.03, 1.39, 1.09),
    (14.2, 1, 7.51, 0.39, 2.53, 3.76),
    (15.77, 0.9, 0, 0, 0, 14.2), (31.37, 0.85, 0, 0, 0, 26.66), (23.58, 0.99, 0, 0, 0, 23.35),
]  # fmt: skip


@pytest.mark.parametrize(("memory", "share", "weights", "other", "peak", "printed"), LOGS)
def test_cache_pool(memory: float, share: float, weights: float, other: float, peak: float, printed: float) -> None:
    assert cache_pool(memory, share, weights, peak, other) == pytest.approx(printed, abs=0.0151)


def test_weights_of_a_rank() -> None:
    """Qwen3-30B-A3B on two ranks: "model weights take 28.4767 GiB" each; norms and routers are on both."""
    config = {
        "model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
        "head_dim": 128,
        "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936,
        "tie_word_embeddings": False, "dtype": "bfloat16",
    }  # fmt: skip
    got = budget(understand(config, None), Options(context=16))["parameters"]  # type: ignore[arg-type]
    copied = got["by_component"]["norm"] + got["by_component"]["router"]
    assert ((got["total"] - copied) // 2 + copied) * 2 / 2**30 == pytest.approx(28.4767, rel=2e-3)


def test_weights_of_eight_bits() -> None:
    """Llama-3.1-70B w8a8 with embedding and head in 16 bits: 67.7229 GiB."""
    config = {
        **LLAMA, "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "intermediate_size": 28672,
        "quantization_config": {
            "quant_method": "compressed-tensors", "format": "int-quantized", "ignore": ["lm_head"],
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "strategy": "channel", "symmetric": True}}},
        },
    }  # fmt: skip
    got = budget(understand(config, None), Options(context=16))  # type: ignore[arg-type]
    assert got["storage"]["bytes"] == got["memory"]["weight_bytes"]
    assert got["storage"]["bytes"] / 2**30 == pytest.approx(67.7229, rel=0.012)


def test_gemma3_weights() -> None:
    """54.0 GB of Gemma-3-27B in 16 bits (arXiv 2503.19786, Table 3)."""
    config = {
        "model_type": "gemma3_text", "hidden_size": 5376, "num_hidden_layers": 62, "num_attention_heads": 32, "num_key_value_heads": 16,
        "intermediate_size": 21504,
        "vocab_size": 262208, "tie_word_embeddings": True, "head_dim": 128, "dtype": "bfloat16",
    }  # fmt: skip
    assert budget(understand(config, None), Options(context=16))["memory"]["weight_bytes"] / 1e9 == pytest.approx(54.0, rel=0.025)  # type: ignore[arg-type]


def test_fits() -> None:
    got = costs(device="h100-sxm")["device"]
    free = 80 * 2**30 - 2 * 8030261248 - 2 * 128256 - 2 * 8192 * (4096 + 3 * 14336)
    assert got["free_bytes"] == free - 8192 * 131072
    assert got["fits"]
    assert got["largest_batch"] == (80 * 2**30 - 2 * 8030261248 - 2 * 8192 * (4096 + 3 * 14336) - 2 * 128256) // (8192 * 131072)
    assert got["longest_context"] == free // 131072
    half = costs(device="h100-sxm", memory_utilisation=0.25)["device"]
    assert half["cache_pool_bytes"] == free - 60 * 2**30


def test_does_not_fit() -> None:
    got = costs(device="tpu-v5e")["device"]
    assert (got["fits"], got["longest_context"] > 0) == (False, False) or got["free_bytes"] < 0
    tight = costs(device="h200", training="adamw")["device"]
    assert not tight["fits"]
    assert tight["needed_bytes"] > 16 * 8030261248


def test_bounds() -> None:
    """A step reads all weights but the input table, and the cache: 3.35 TB/s of an H100."""
    got = costs(device="h100-sxm")["device"]["bounds"]
    assert got["decode_seconds"] == pytest.approx((2 * (8030261248 - 128256 * 4096) + 8192 * 131072) / 3.35e12, rel=1e-6)
    assert got["decode_bound"] == "memory"


def test_bounds_of_latents() -> None:
    """A step with latents absorbed does far less than one that expands them; the bound is of the lesser."""
    latent = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "num_attention_heads": 16}
    config = {"model_type": "deepseek_v3", "num_hidden_layers": 4, "num_key_value_heads": 16, "dtype": "bfloat16", **latent}
    got = budget(understand(config, None), Options(context=262144, device="h100-sxm"))  # type: ignore[arg-type]
    decode = got["flops"]["decode"]
    assert decode["absorbed_total"] < decode["total_visible"]
    assert got["device"]["bounds"]["decode_seconds"] < decode["total_visible"] / 989e12
    assert got["device"]["bounds"]["decode_bound"] == "memory"


def test_utilisation_is_of_all_devices() -> None:
    one = costs(device="h100-sxm", tokens_per_second=6667.0, recompute="full")["utilisation"]
    two = costs(device="h100-sxm", tokens_per_second=6667.0, devices=2)["utilisation"]
    assert one["mfu"] == pytest.approx(2 * two["mfu"])
    assert one["mfu"] == pytest.approx(0.39, rel=0.01)
    blocks = 2 * (8030261248 - 2 * 128256 * 4096 - 65 * 4096) + 32 * 4 * 4096 * 8192
    assert one["hfu"] - one["mfu"] == pytest.approx(blocks * 6667 / 989e12, rel=1e-6)


def test_table() -> None:
    """Published dense peaks; nothing is a sparse one: 8-bit peaks are at most twice the 16-bit ones."""
    assert find("H100_SXM").peaks_flops["bf16"] == 989 * 10**12
    assert find("b200").peak("fp8") == find("b200").peak("float8_e4m3fn") == 4500 * 10**12
    for device in devices().values():
        assert device.source
        peaks = device.peaks_flops
        assert peaks.get("fp8", 0) <= 2.03 * peaks.get("bf16", 0)
        assert 2**33 < device.memory_bytes < 2**40


def test_own_devices(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("box: {memory_bytes: 48GiB, bandwidth_bytes_per_s: 1.5TB, peaks_flops: {bf16: 300T}}\nhalf: {name: x}\n")
    with pytest.raises(Usage, match="half"):
        find("box", str(file))
    file.write_text("box: {memory_bytes: 48GiB, bandwidth_bytes_per_s: 1.5TB, peaks_flops: {bf16: 300T}}\n")
    devices.cache_clear()
    got = find("box", str(file))
    assert (got.memory_bytes, got.bandwidth_bytes_per_s, got.peaks_flops) == (48 * 2**30, 15 * 10**11, {"bf16": 3 * 10**14})
    with pytest.raises(Usage, match="h100-sxm"):
        find("h100")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8B", 8e9),
        ("8.1e9", 8.1e9),
        ("128KiB", 131072),
        ("80GiB", 80 * 2**30),
        ("3.35TB", 3.35e12),
        ("1,024", 1024),
        ("2k", 2000),
        ("7 MB", 7e6),
    ],
)
def test_amounts(text: str, number: float) -> None:
    assert amount(text) == number


@pytest.mark.parametrize("text", ["", "8 apples", "GiB", "1e", "--3", True])
def test_no_amounts(text: Any) -> None:
    with pytest.raises(ValueError, match=r"no number|no unit"):
        amount(text)


def test_written_numbers() -> None:
    assert (si(8030261248), si(19304284160, "FLOP"), binary(1073741824), binary(1023), si(999999)) == (
        "8.03B",
        "19.30 GFLOP",
        "1.00 GiB",
        "1023 B",
        "1.00M",
    )


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 1000, 1023, 1024, 99999])
def test_largest(limit: int) -> None:
    assert largest(lambda n: n <= limit) == limit


def test_largest_without_end() -> None:
    assert largest(lambda n: True) is None


@pytest.mark.parametrize(
    ("name", "bandwidth", "link", "peaks"),
    [
        ("tpu-v6e", 1638, 800, {"bf16": 918, "int8": 1836}),
        ("tpu-v5p", 2765, 1200, {"bf16": 459, "fp8": 459}),
        ("tpu-v5e", 819, 400, {"bf16": 197, "int8": 393}),
        ("gaudi-3", 3670, 1200, {"bf16": 1835, "fp8": 1835}),
        ("gaudi-2", 2460, 600, {"bf16": 432}),
        ("h200", 4800, 900, {"bf16": 989, "fp8": 1979}),
        ("b200", 8000, 1800, {"bf16": 2250, "fp8": 4500, "fp4": 9000}),
        ("a40", 696, 112.5, {"bf16": 149.7}),
    ],
)
def test_published_rates(name: str, bandwidth: int, link: float, peaks: dict[str, float]) -> None:
    """GB/s of memory, of all links in both directions, dense TFLOP/s, as the vendors' pages print them."""
    device = find(name)
    assert device.bandwidth_bytes_per_s == bandwidth * 10**9
    assert device.interconnect_bytes_per_s == link * 10**9
    assert {dtype: device.peaks_flops[dtype] for dtype in peaks} == {dtype: int(value * 10**12) for dtype, value in peaks.items()}


def test_every_device_names_its_source() -> None:
    for device in devices().values():
        assert len(device.source) > 4
        assert all(value > 0 for value in device.peaks_flops.values())
        # a narrower dtype is never slower
        assert device.peaks_flops.get("fp8", 10**18) >= device.peaks_flops.get("bf16", 0)
