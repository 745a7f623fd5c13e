"""FLOPs, MFU and HFU as papers and notebooks print them."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest

from xfcheck.accounting.conventions import (
    CONVENTIONS,
    Case,
    Scores,
    case,
    chinchilla,
    conventions,
    deepseek,
    gpt3,
    korthikanti,
    nanogpt,
    palm,
)
from xfcheck.model import Model, understand

A100 = 312 * 10**12
H100 = 989 * 10**12


def decoder(layers: int, d: int, heads: int, vocab: int, length: int) -> Model:
    return understand(
        {"model_type": "gpt2", "n_embd": d, "n_layer": layers, "n_head": heads, "n_positions": length, "vocab_size": vocab}, None
    )  # type: ignore[arg-type]


def described(layers: int, d: int, heads: int, vocab: int = 51200, length: int = 2048) -> Case:
    return case(decoder(layers, d, heads, vocab, length), length)


def test_nanogpt() -> None:
    """transformer_sizing.ipynb of nanoGPT: GPT-2 of 12 layers at 1024 tokens."""
    got = described(12, 768, 12, 50257, 1024)
    assert nanogpt.count(got).forward == 291648307200
    assert got.blocks + got.scores == 212600881152
    assert got.logits == 79047426048
    assert got.scores == 12 * 2 * 1610612736  # scores and weighted values alike
    assert got.blocks == 12 * (3623878656 + 3623878656 // 3 + 2 * 4831838208)  # qkv, output, two networks


# Table 5 of arXiv 2205.05198: heads, hidden, layers, GPUs, batch, seconds -> MFU, HFU with selective recomputation (null: not given here)
KORTHIKANTI = [
    (64, 6144, 48, 8, 4, 1.10, 0.415, None), (96, 12288, 96, 64, 64, 13.75, None, 0.528), (128, 20480, 105, 280, 280, 37.83, 0.56, 0.57),
    (160, 25600, 128, 512, 512, 71.49, None, 0.57),
]  # fmt: skip


@pytest.mark.parametrize("row", KORTHIKANTI, ids=lambda row: f"{row[1]}")
def test_utilisation_of_megatron(row: Any) -> None:
    heads, hidden, layers, devices, batch, seconds, mfu, hfu = row
    got = described(layers, hidden, heads)
    rate = batch / (seconds * devices * A100)
    if mfu is not None:
        assert korthikanti.count(got).training * rate == pytest.approx(mfu, rel=4e-3)
    if hfu is not None:
        assert korthikanti.hardware(got) * rate == pytest.approx(hfu, rel=4e-3)


def test_megatron_equation() -> None:
    """96 B s l h^2 (1 + s / 6h + V / 16 l h) of arXiv 2104.04473, written out for 145.6B."""
    s, layers, h, vocab = 2048, 80, 12288, 51200
    got = conventions(["megatron"], decoder(layers, h, 96, vocab, s), s)["megatron"]["training_per_sequence"]
    assert got == 96 * s * layers * h**2 + 16 * s**2 * layers * h + 6 * s * vocab * h


# Table A4 of arXiv 2203.15556: layers, d, ffw, heads, kv -> FLOPs over 6 N D; reproduced without embedding and logits
@pytest.mark.parametrize(
    ("shape", "ratio"),
    [((20, 1024, 4096, 16, 64), 1.10), ((24, 1280, 5120, 10, 128), 1.08), ((26, 1792, 7168, 14, 128), 1.04),
     ((28, 2048, 8192, 16, 128), 1.03)]
)  # fmt: skip
def test_chinchilla_table(shape: tuple[int, ...], ratio: float) -> None:
    layers, d, ffw, heads, kv = shape
    count = 32000 * d + layers * (5 * d * kv * heads + 2 * d * ffw)  # relative positions have a matrix of their own
    assert 3 * chinchilla.blocks_alone(described(layers, d, heads, 32000)) / (6 * count * 2048) == pytest.approx(ratio, rel=6e-3)


# Table D.1 of arXiv 2005.14165: parameters, tokens -> FLOPs (encoder-decoders meet half their parameters: 3 a token)
D1 = [
    ("GPT-3 Small", 125e6, 300e9, 6, 2.25e20), ("GPT-3 Medium", 356e6, 300e9, 6, 6.41e20), ("GPT-3 Large", 760e6, 300e9, 6, 1.37e21),
    ("GPT-3 XL", 1.32e9, 300e9, 6, 2.38e21), ("GPT-3 175B", 174.6e9, 300e9, 6, 3.14e23), ("RoBERTa-Large", 355e6, 2e12, 6, 4.26e21),
    ("BERT-Base", 109e6, 250e9, 6, 1.64e20), ("BERT-Large", 355e6, 250e9, 6, 5.33e20), ("T5-Small", 60e6, 1e12, 3, 1.80e20),
    ("T5-Base", 220e6, 1e12, 3, 6.60e20), ("T5-Large", 770e6, 1e12, 3, 2.31e21), ("T5-11B", 11e9, 1e12, 3, 3.30e22),
]  # fmt: skip


@pytest.mark.parametrize("row", D1, ids=lambda row: row[0])
def test_gpt3_table(row: Any) -> None:
    _, count, tokens, each, printed = row
    met = int(count) * each // 6
    assert gpt3.count(Case(int(tokens), {"active": {"total": met}}, 0, 0, ())).training == pytest.approx(printed, rel=5e-3)


def test_gpt3_is_six_a_parameter() -> None:
    model = decoder(24, 2048, 16, 50257, 2048)
    total = 24 * (12 * 2048**2 + 13 * 2048) + 50257 * 2048 + 2048 * 2048 + 2 * 2048
    assert conventions(["gpt3"], model, 64)["gpt3"]["training_per_token"] == 6 * total


LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
}
LATENT = {
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "q_lora_rank": 1536,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
}
DEEPSEEK = {
    "deepseek_v2": {
        "hidden_size": 5120, "num_hidden_layers": 60, "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160,
        "n_shared_experts": 2,
        "num_experts_per_tok": 6, "first_k_dense_replace": 1, "vocab_size": 102400,
    },
    "deepseek_v3": {
        "hidden_size": 7168, "num_hidden_layers": 61, "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
        "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "vocab_size": 129280,
    },
}  # fmt: skip


@pytest.mark.parametrize(("name", "printed"), [("deepseek_v2", 155), ("deepseek_v3", 250)])
def test_deepseek_table(name: str, printed: int) -> None:
    """arXiv 2505.09343, Table 2: GFLOPs a token in training at 4096 tokens."""
    model = understand({"model_type": name, "tie_word_embeddings": False, **LATENT, **DEEPSEEK[name]}, None)  # type: ignore[arg-type]
    assert conventions(["deepseek"], model, 4096)["deepseek"]["training_per_token"] / 1e9 == pytest.approx(printed, rel=5e-3)


def test_deepseek_utilisation() -> None:
    """arXiv 2505.09343, Table 4: 272.80B tokens a day on 2048 H800, 385 TFLOPS and 38.94% causal, 432 and 43.73% with whole attention."""
    model = understand({"model_type": "deepseek_v3", "tie_word_embeddings": False, **LATENT, **DEEPSEEK["deepseek_v3"]}, None)  # type: ignore[arg-type]
    described = case(model, 4096)
    rate = 272.80e9 / 86400 / 2048
    causal = deepseek.count(described).training / 4096 * rate
    whole = causal + 3 * described.scores / 2 / 4096 * rate
    assert (round(causal / 1e12), round(causal / H100, 4)) == (385, 0.3894)
    assert (round(whole / 1e12), round(whole / H100, 4)) == (432, 0.4373)


def test_palm() -> None:
    """arXiv 2204.02311, section 4.1: 540.35B parameters, 238.3K tokens a second on 6144 TPU v4: MFU 46.2%."""
    described = Case(2048, {"active": {"total": 540_350_000_000}}, 0, 0, (Scores(118, 48, 256, 256),))
    assert palm.count(described).training / 2048 * 238_300 / (6144 * 275e12) == pytest.approx(0.462, abs=5e-4)


def test_nemotron() -> None:
    """arXiv 2406.11704, Table 2: 2304 sequences of 4096 in 8.0 s on 6144 H100, MFU 41.0%: weights without the input table."""
    config = {
        "model_type": "nemotron", "hidden_size": 18432, "num_hidden_layers": 96, "num_attention_heads": 96, "num_key_value_heads": 8,
        "intermediate_size": 73728, "vocab_size": 256000, "tie_word_embeddings": False,
    }  # fmt: skip
    got = conventions(["torchtitan"], understand(config, None), 4096)["torchtitan"]["training_per_sequence"]  # type: ignore[arg-type]
    assert got * 2304 / (8.0 * 6144 * H100) == pytest.approx(0.41, rel=7e-3)


def test_llama_405b() -> None:
    """arXiv 2407.21783, section 3: 3.8e25 FLOPs for 15.6T tokens."""
    config = LLAMA | {"hidden_size": 16384, "num_hidden_layers": 126, "num_attention_heads": 128, "intermediate_size": 53248}
    each = conventions(["gpt3"], understand(config, None), 8192)["gpt3"]["training_per_token"]  # type: ignore[arg-type]
    assert each * 15.6e12 == pytest.approx(3.8e25, rel=5e-3)


# Table 3 of arXiv 2401.02954, 4096 tokens: layers, d_model, non-embedding FLOPs a token
NON_EMBEDDING = [
    (8, 512, 352e6), (12, 768, 963e6), (24, 1024, 3.02e9), (24, 2048, 9.66e9), (32, 4096, 45.1e9), (40, 5120, 85.6e9), (80, 8192, 419e9),
]  # fmt: skip


@pytest.mark.parametrize(("layers", "d", "printed"), NON_EMBEDDING)
def test_deepseek_llm(layers: int, d: int, printed: float) -> None:
    got = conventions(["deepseek_llm"], decoder(layers, d, d // 64, 102400, 4096), 4096)["deepseek_llm"]["training_per_token"]
    assert got == 72 * layers * d**2 + 12 * layers * d * 4096
    assert got == pytest.approx(printed, rel=2e-3)


def test_torchtitan() -> None:
    """6,667 tokens a second and GPU of Llama-3.1-8B at 8192 tokens: 39% (torchtitan benchmarks, December 2024)."""
    model = understand(LLAMA, None)  # type: ignore[arg-type]
    assert conventions(["torchtitan"], model, 8192)["torchtitan"]["training_per_token"] * 6667 / H100 == pytest.approx(0.39, rel=0.03)


def test_palm_and_kaplan_by_hand() -> None:
    """Llama-3-8B at 8192 tokens: 6 N + 12 L H Q T, and 2 N + 2 n_layer n_ctx d_attn forward."""
    got = conventions(CONVENTIONS, understand(LLAMA, None), 8192)  # type: ignore[arg-type]
    total, tables = 8030261248, 2 * prod((128256, 4096))
    assert got["palm"]["training_per_token"] == 6 * total + 12 * 32 * 32 * 128 * 8192
    assert got["kaplan"]["forward_per_token"] == 2 * (total - tables) + 2 * 32 * 8192 * 4096
