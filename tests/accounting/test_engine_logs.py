"""Cache sizes that llama.cpp and vLLM printed in public logs: what the engines really allocated."""

from __future__ import annotations

from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.accounting.cache import cache
from xfcheck.accounting.engines import Ask, UnknownLayout, llama_cpp, vllm
from xfcheck.accounting.mixers._parts import Held
from xfcheck.architecture.masks import Mask
from xfcheck.model import understand
from xfcheck.problems import Usage

MIB = 1024 * 1024

# layers, sequences, cells that each pool was asked for, elements a token, window, n_ubatch, unified, type -> printed MiB
LLAMA_CPP = {
    "gpt-oss-120b, full layers, 2 sequences (ollama/ollama#16480)": (18, 2, 131072, 1024, None, 1024, False, "float16", 9216.0),
    "gpt-oss-120b, window 128, 2 sequences (ollama/ollama#16480)": (18, 2, 131072, 1024, 128, 1024, False, "float16", 90.0),
    "gemma-2-2b, full layers": (13, 1, 8192, 2048, None, 512, True, "float16", 416.0),
    "gemma-2-2b, window 4096, 4 sequences in one pool": (13, 4, 2048, 2048, 4096, 512, True, "float16", 416.0),
    "gemma-4-E4B, full layers": (4, 1, 32768, 2048, None, 512, True, "float16", 512.0),
    "Laguna, window 512, q4_0": (36, 1, 1048576, 2048, 512, 512, True, "q4_0", 40.5),
    "TinyLlama-1.1B": (22, 1, 256, 512, None, 512, True, "float16", 5.5),
    "Qwen3-VL-8B, q8_0": (36, 1, 8192, 2048, None, 512, True, "q8_0", 612.0),
    "Qwen3.5-27B, attention layers": (16, 1, 262144, 2048, None, 512, True, "float16", 16384.0),
    "Qwen3.6-27B, attention layers, q8_0": (16, 1, 131072, 2048, None, 512, True, "q8_0", 4352.0),
    "Qwen3.6-35B-A3B, attention layers": (10, 1, 65536, 1024, None, 512, True, "float16", 1280.0),
    "indexer of sparse attention, 768k": (21, 1, 768000, 128, None, 512, True, "float16", 3937.5),
    "indexer of sparse attention, 512k": (21, 1, 524288, 128, None, 512, True, "float16", 2688.0),
    "DeepSeek-R1, rotary keys (ggml-org/llama.cpp#11446)": (61, 1, 32768, 64, None, 512, True, "float16", 244.0),
}


@pytest.mark.parametrize("case", LLAMA_CPP.values(), ids=LLAMA_CPP)
def test_llama_cpp_cells(case: tuple[Any, ...]) -> None:
    layers, sequences, context, width, window, ubatch, unified, dtype, printed = case
    mask = Mask() if window is None else Mask(kind="sliding", window=window)
    ask = Ask(sequences, context, 0, dtype, ubatch=ubatch, unified=unified)
    [[kept]] = llama_cpp.lay_out([[Held("full" if window is None else "sliding", per_token=width, mask=mask)]], ask)
    assert layers * kept.bytes / MIB == pytest.approx(printed, abs=0.0051)


@pytest.mark.parametrize(
    ("absorbed", "layers", "heads", "sequences", "context", "dtype", "printed"),
    [(True, 61, 128, 1, 32768, "q8_0", 1166.62), (False, 27, 16, 8, 2048, "float16", 4320.0)],
    ids=["DeepSeek-R1 (ikawrakow/ik_llama.cpp#259)", "DeepSeek-V2-Lite without absorption"],
)
def test_llama_cpp_latent(absorbed: bool, layers: int, heads: int, sequences: int, context: int, dtype: str, printed: float) -> None:
    from xfcheck.accounting.mixers.latent_attention import holds
    from xfcheck.architecture.mixers.latent_attention import LatentAttention

    spec = LatentAttention(query_heads=heads, query_rank=None, kv_rank=512, nope_dim=128, rope_dim=64, value_dim=128)
    [[kept]] = llama_cpp.lay_out([holds(spec, "text")], Ask(sequences, context, 0, dtype, absorbed=absorbed))
    assert layers * kept.bytes / MIB == pytest.approx(printed, abs=0.0051)


# layers, rollbacks, channels of the convolution (4 taps), elements of the state -> printed MiB
RECURRENT = {
    "Qwen3.8-27B with two rollbacks": (48, 2, 10240, 786432, 448.88),
    "Qwen3.6-35B-A3B": (30, 0, 8192, 524288, 62.81),
    "Qwen3-Next-80B-A3B (ggml-org/llama.cpp#16095)": (36, 0, 8192, 524288, 75.38),
    "Mamba-1.4B": (48, 0, 4096, 65536, 14.25),
}


@pytest.mark.parametrize("case", RECURRENT.values(), ids=RECURRENT)
def test_llama_cpp_states(case: tuple[Any, ...]) -> None:
    layers, rollbacks, channels, state, printed = case
    holds = [Held("conv", constant=4 * channels, shifted=3 * channels), Held("recurrent", constant=state, fp32=True)]
    [kept] = llama_cpp.lay_out([holds], Ask(1, 4096, 0, "float16", rollbacks=rollbacks))
    assert layers * sum(k.bytes for k in kept) / MIB == pytest.approx(printed, abs=0.0051)


# elements of state and of the convolution's columns, dtype of the state, bytes a token of keys and values, step -> printed attention block
HYBRID = {
    "Qwen3.5-27B": (786432, 30720, "float32", 4096, 16, 784),
    "Qwen3.5-27B, fp8 cache": (786432, 30720, "float32", 2048, 16, 1568),
    "Qwen3.5-27B, 16-bit state, blocks of 64": (786432, 30720, "bfloat16", 4096, 64, 448),
    "Nemotron-Nano-9B-v2 (vllm-project/vllm#24280)": (1310720, 36864, "bfloat16", 4096, 16, 672),
}


@pytest.mark.parametrize("case", HYBRID.values(), ids=HYBRID)
def test_vllm_attention_block(case: tuple[Any, ...]) -> None:
    state, columns, dtype, rate, step, printed = case
    recurrent = [Held("conv", constant=columns, shifted=columns), Held("recurrent", constant=state, fp32=True)]
    cached = "float8_e4m3fn" if rate == 2048 else "bfloat16"
    attention = [Held("full", per_token=2048, mask=Mask())]
    ask = Ask(1, 1, 0, cached, block_size=step, state_dtype=dtype)
    states, [kept] = vllm.lay_out([recurrent, attention], ask)
    assert kept.tokens == printed
    assert sum(k.bytes for k in states) == kept.bytes  # the state's page is padded to the attention's


def test_vllm_window() -> None:
    """Pages of 16: min(W - 1 + batched, T) tokens and a page more with the hybrid manager, all tokens without it."""
    held = Held("sliding", per_token=8, mask=Mask(kind="sliding", window=100))
    full = Held("full", per_token=8, mask=Mask())
    [[slid], [whole]] = vllm.lay_out([[held], [full]], Ask(1, 1000, 0, "bfloat16", max_batched_tokens=200))
    assert (slid.tokens, whole.tokens) == ((-(-299 // 16) + 1) * 16, 1008)
    [[slid]] = vllm.lay_out([[held]], Ask(3, 1000, 0, "bfloat16", hybrid=False))
    assert (slid.tokens, slid.bytes) == (1008, 3 * 1008 * 16)
    [[chunk]] = vllm.lay_out(
        [[Held("chunked", per_token=8, mask=Mask(kind="chunked", window=100))]], Ask(1, 1000, 0, "bfloat16", max_batched_tokens=200)
    )
    assert chunk.tokens == 304


def test_vllm_pages_of_mixed_widths() -> None:
    """Full layers of 4 heads and sliding ones of 2: the narrower get twice the tokens a page."""
    narrow = Held("sliding", per_token=16, mask=Mask(kind="sliding", window=64))
    wide = Held("full", per_token=32, mask=Mask())
    [[slid], [_]] = vllm.lay_out([[narrow], [wide]], Ask(1, 640, 0, "bfloat16", max_batched_tokens=65))
    assert slid.tokens == (128 // 32 + 1) * 32


def test_packed_latents() -> None:
    """512 values in 8 bits with four 32-bit scales, 64 in 16 bits.

    656 bytes a token (FlashMLA tests/lib.py); indexer keys 128 and one scale.
    """
    held = [Held("latent", per_token=576, mask=Mask()), Held("indexer", per_token=128)]
    [kept] = vllm.lay_out([held], Ask(1, 16, 0, "fp8_ds_mla"))
    assert [k.bytes for k in kept] == [656 * 16, 132 * 16]


# Qwen3-Coder-30B-A3B, 262,144 tokens: "24.0 GiB KV cache is needed" (vllm-project/vllm#34076);
# Qwen3-0.6B: 114,688 bytes a token of 69.66 GiB give 652,144 tokens (#24577)
def test_vllm_needs() -> None:
    config = {
        "model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
        "head_dim": 128,
        "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936,
    }  # fmt: skip
    model = understand(config, None)  # type: ignore[arg-type]
    assert cache(model.architecture, batch=1, context=262144, source=0, dtype="bfloat16", engine="vllm")["bytes"] == 24 * 1024**3
    small = {
        "model_type": "qwen3",
        "hidden_size": 1024,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "intermediate_size": 3072,
        "vocab_size": 151936,
    }
    rate = cache(understand(small, None).architecture, batch=1, context=4096, source=0, dtype="bfloat16", engine="vllm")["bytes_per_token"]  # type: ignore[arg-type]
    assert rate == 114688
    assert 69.66 * 1024**3 / rate == pytest.approx(652144, rel=2e-4)


QWEN_9B = {
    "model_type": "qwen3_5_text", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 16, "num_key_value_heads": 4,
    "head_dim": 256, "intermediate_size": 12288, "vocab_size": 248320, "linear_num_value_heads": 32, "linear_num_key_heads": 16,
}  # fmt: skip


def test_keys_and_values_apart() -> None:
    """Latents are keys alone; what cannot be told apart is null; engines that keep one dtype refuse."""
    latent = {"model_type": "deepseek_v3", "num_hidden_layers": 61}
    both = [
        budget(understand(latent, None), Options(context=256, cache_dtype=d, engine="llama.cpp"))["cache"]["bytes"]  # type: ignore[arg-type]
        for d in ("q8_0", "q8_0/q4_0")
    ]
    assert both[0] == both[1] == 61 * 576 * 256 * 34 // 32
    unknown = Options(context=256, cache_dtype="q8_0/f16", engine="llama.cpp", absorbed=False)
    assert budget(understand(latent, None), unknown)["cache"]["bytes"] is None  # type: ignore[arg-type]
    for engine, name in (
        ("vllm", "q8_0/q4_0"),
        ("transformers", "bf16/fp8"),
        ("llama.cpp", "q8_0/"),
        ("logical", "/q8_0"),
        ("logical", "a/b"),
    ):
        with pytest.raises(Usage):
            Options(cache_dtype=name, engine=engine).check()
    assert budget(understand(QWEN_9B, None), Options(context=64, cache_dtype="f16/fp16"))["cache"]["dtype"] == "float16"  # type: ignore[arg-type]


def test_no_guess() -> None:
    """A kind of cache that an engine does not know gives null."""
    entry = Held("compressed", per_token=8, stride=4)
    for engine in (vllm, llama_cpp):
        with pytest.raises(UnknownLayout, match="compressed"):
            engine.lay_out([[entry]], Ask(1, 100, 0, "bfloat16"))


def elements(config: dict[str, Any]) -> Any:
    """Elements a token: bytes in 8 bits."""
    return cache(understand(config, None).architecture, batch=1, context=64, source=0, dtype="int8")["bytes_per_token"]  # type: ignore[arg-type]


def test_latents_as_published() -> None:
    """DeepSeek-V3: 70,272 bytes a token (arXiv 2505.09343, Table 1).

    27 layers of DeepSeek-V2: 15.6K elements against 110.6K of 16 heads (arXiv 2405.04434, Table 9).
    """
    latent = {
        "kv_lora_rank": 512,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
    }
    assert 2 * elements({"model_type": "deepseek_v3", "num_hidden_layers": 61, **latent}) == 70272
    assert elements({"model_type": "deepseek_v2", "num_hidden_layers": 27, **latent}) == pytest.approx(15600, rel=4e-3)
    heads = {"model_type": "llama", "num_hidden_layers": 27, "hidden_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 16}
    assert elements(heads) == pytest.approx(110600, rel=4e-3)


def test_pool_of_a_small_model() -> None:
    """Qwen2.5-1.5B: 0.56 GiB hold 20,992 tokens of 28,672 bytes."""
    config = {
        "model_type": "qwen2",
        "hidden_size": 1536,
        "num_hidden_layers": 28,
        "num_attention_heads": 12,
        "num_key_value_heads": 2,
        "intermediate_size": 8960,
    }
    assert 2 * elements(config) == 28672
    assert pytest.approx(20992, rel=0.01) == 0.56 * 1024**3 / 28672
