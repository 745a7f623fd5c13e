"""The sample configs against what was published of these models, and the arithmetic that anybody can redo."""

from __future__ import annotations

from pathlib import Path

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.documents.folder import open_model
from xfcheck.model import load
from xfcheck.rules._engine import lint

SAMPLES = Path(__file__).parent.parent / "sample_configs"

PARAMETERS = {
    "llama-3-8b": 8_030_261_248,  # safetensors metadata of the published checkpoint
    "llama-3.2-1b": 1_235_814_400,
    "mistral-7b-v0.1": 7_241_732_096,
    "qwen2.5-7b": 7_615_616_512,
    "qwen2.5-72b": 72_706_203_648,
    "qwen3-4b": 4_022_468_096,
    "gemma-2-2b": 2_614_341_888,
    "gemma-2-9b": 9_241_705_984,
    "mixtral-8x7b-v0.1": 46_702_792_704,
    "qwen3-30b-a3b": 30_532_122_624,
    "deepseek-v3": 671_026_404_352,
    "gpt2": 124_439_808,
    "bert-base-uncased": 109_514_298,
    "t5-base": 222_903_552,
    "mamba2-130m": 128_989_632,  # sum(p.numel()) of the authors' package, table 10 of arXiv 2405.21060 rounds it to 130M
    "jamba-v0.1": 51_570_323_328,
    "llava-1.5-7b": 7_063_427_072,  # of which CLIP's tower is 303,507,456 and the projector 20,979,712
    "qwen2.5-vl-7b": 8_292_166_656,  # of which the tower is 676,550,144
}


def account(name: str, **options: object) -> dict[str, object]:
    """The budget of a sample."""
    return budget(load(open_model(str(SAMPLES / name))), Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_published_parameter_count(name: str) -> None:
    found = account(name)
    assert found["parameters"]["total"] == PARAMETERS[name]  # type: ignore[index]
    assert found["fidelity"] == "exact"


def test_every_sample_has_its_published_count() -> None:
    assert {p.parent.name for p in SAMPLES.glob("*/config.json")} == set(PARAMETERS)


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_a_published_config_has_no_error(name: str) -> None:
    assert [f.message for f in lint(open_model(str(SAMPLES / name))).findings if f.severity == "error"] == []


def test_towers_count_beside_the_language_model() -> None:
    """CLIP ViT-L/14 of 336 pixels: 577 positions, 24 layers of 4 (1024^2 + 1024) + 2 x 4 x 1024^2 + 5 x 1024 + 4 x 1024, no image: no work.

    Two norms before and after, a class vector, patches of 3 x 14 x 14. The language models are Vicuna with 64 more words, and Qwen2.5-7B.
    """
    layer = 4 * (1024 * 1024 + 1024) + 2 * 4 * 1024 * 1024 + 5 * 1024 + 4 * 1024
    clip = 24 * layer + 577 * 1024 + 1024 + 3 * 14 * 14 * 1024 + 4 * 1024
    llava = account("llava-1.5-7b")["parameters"]["by_component"]  # type: ignore[index]
    assert llava["vision"] == clip == 303_507_456
    assert llava["projector"] == 1024 * 4096 + 4096 + 4096 * 4096 + 4096
    assert PARAMETERS["llava-1.5-7b"] - clip - llava["projector"] == 6_738_415_616 + 2 * 64 * 4096
    assert account("qwen2.5-vl-7b")["parameters"]["by_component"]["vision"] == PARAMETERS["qwen2.5-vl-7b"] - PARAMETERS["qwen2.5-7b"]  # type: ignore[index]
    alone, seeing = (account(name, context=1000) for name in ("qwen2.5-7b", "qwen2.5-vl-7b"))
    assert alone["flops"]["prefill"] == seeing["flops"]["prefill"]  # type: ignore[index]
    assert alone["cache"]["bytes"] == seeing["cache"]["bytes"]  # type: ignore[index]


@pytest.mark.parametrize("path", sorted(p.parent.name for p in SAMPLES.glob("faulty/*/config.json")))
def test_a_faulty_one_is_found(path: str) -> None:
    assert [f.code for f in lint(open_model(str(SAMPLES / "faulty" / path))).findings if f.severity in ("error", "warning")]


def test_gemma_2_keeps_a_window_on_every_other_layer() -> None:
    """42 layers, 21 of them slide over 4096 tokens, of which transformers keeps 4095; 8 KV heads of 256, keys and values, 2 bytes."""
    token = 8 * 256 * 2 * 2
    cache = account("gemma-2-9b", context=32768, dtype="bf16", engine="transformers")["cache"]
    assert cache["bytes"] == 21 * 32768 * token + 21 * 4095 * token  # type: ignore[index]
    logical = account("gemma-2-9b", context=32768, dtype="bf16")["cache"]
    assert logical["bytes"] == 21 * 32768 * token + 21 * 4096 * token  # type: ignore[index]
    assert logical["full_reservation_bytes"] == 42 * 32768 * token  # type: ignore[index]


def test_t5_keeps_its_own_tokens_and_the_source() -> None:
    """12 decoder layers, 12 heads of 64, keys and values, 2 bytes: 100 tokens of its own and 500 of the source."""
    cache = account("t5-base", context=100, source=500, dtype="bf16")["cache"]
    assert cache["bytes"] == 12 * (100 + 500) * 12 * 64 * 2 * 2  # type: ignore[index]
    assert cache["constant_bytes"] == 12 * 500 * 12 * 64 * 2 * 2  # type: ignore[index]


def test_jamba_and_mamba_2_keep_a_state_whatever_the_length() -> None:
    """Jamba: 4 attention layers of 8 x 128 heads; 28 Mamba layers with 8192 x 16 states in 32 bits and 4 columns of 8192 channels in 16."""
    attention, states = 4 * 1000 * 8 * 128 * 2 * 2, 28 * (8192 * 16 * 4 + 8192 * 4 * 2)
    assert account("jamba-v0.1", context=1000, dtype="bf16", engine="transformers")["cache"]["bytes"] == attention + states  # type: ignore[index]
    layer = 24 * 64 * 128 * 4 + (1536 + 2 * 128) * 4 * 2
    for context in (10, 100_000):
        assert account("mamba2-130m", context=context, dtype="bf16")["cache"]["bytes"] == 24 * layer  # type: ignore[index]


def test_deepseek_v3_keeps_the_latent() -> None:
    """61 layers of 512 + 64 elements of 2 bytes: 70,272 bytes a token (arXiv 2412.19437)."""
    cache = account("deepseek-v3", context=4096, dtype="bf16")["cache"]
    assert cache["bytes_per_token"] == 61 * (512 + 64) * 2 == 70_272  # type: ignore[index]
