"""Sizes of published quantised checkpoints: element counts of their headers and `total_size` of their indices."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from xfcheck.accounting.storage import storage
from xfcheck.model import understand

FP8 = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
NF4 = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True}


class Folder:
    """A config with files beside it."""

    config = None

    def __init__(self, **sides: Any) -> None:
        self.sides = sides

    def beside(self) -> list[str]:
        return list(self.sides)

    def side(self, name: str) -> Any:
        return SimpleNamespace(data=self.sides[name]) if name in self.sides else None


def decoder(kind: str, d: int, layers: int, heads: int, kv: int, ffn: int, vocab: int, *, tied: bool, **more: Any) -> dict[str, Any]:
    return {
        "model_type": kind, "hidden_size": d, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv,
        "intermediate_size": ffn,
        "vocab_size": vocab, "tie_word_embeddings": tied, "dtype": "bfloat16", **more,
    }  # fmt: skip


def stored(config: dict[str, Any], quantization: dict[str, Any] | None = None, **sides: Any) -> dict[str, Any]:
    whole = config if quantization is None else {**config, "quantization_config": quantization}
    return storage(understand(whole, Folder(**sides)), "bfloat16")  # type: ignore[arg-type]


DEEPSEEK = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280,
    "tie_word_embeddings": False,
    "num_nextn_predict_layers": 1,
}  # fmt: skip
MINIMAX = {
    "model_type": "minimax_m2", "hidden_size": 3072, "num_hidden_layers": 62, "num_attention_heads": 48, "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 1536, "num_local_experts": 256, "num_experts_per_tok": 8, "vocab_size": 200064, "tie_word_embeddings": False,
}  # fmt: skip
CODER = decoder(
    "qwen3_moe", 2048, 48, 32, 4, 6144, 151936, tied=False, head_dim=128, moe_intermediate_size=768, num_experts=128, num_experts_per_tok=8
)


def test_fp8_of_a_tied_model() -> None:
    """Qwen3-0.6B-FP8: the file holds a head of its own though the config ties it."""
    got = stored(decoder("qwen3", 1024, 28, 16, 8, 3072, 151936, tied=True, head_dim=128), FP8)
    assert got["stored_elements"] == 751659264
    assert got["head_untied"]


def test_fp8_blocks() -> None:
    """Qwen3-8B-FP8."""
    assert stored(decoder("qwen3", 4096, 36, 32, 8, 12288, 151936, tied=False, head_dim=128), FP8)["stored_elements"] == 8191159296


def test_fp8_with_draft_layers() -> None:
    """DeepSeek-V3, "685B": the model, the draft layer with its copies of embedding and head, score biases and 41,540,496 scales."""
    got = stored(DEEPSEEK, FP8)
    assert got["stored_elements"] == 684531386000
    assert got["stored_elements"] - got["logical_elements"] == 41540496


def test_fp8_without_routers() -> None:
    """MiniMax-M2.5."""
    assert (
        stored(MINIMAX, {**FP8, "modules_to_not_convert": ["gate", "e_score_correction_bias", "lm_head"]})["stored_elements"]
        == 228703644928
    )


def test_fbgemm_by_layer() -> None:
    """Llama-3.1-405B-FP8: the networks of layers 1 to 124 alone."""
    kept = [f"model.layers.{i}.self_attn.{p}_proj" for i in range(126) for p in "qkvo"]
    kept += [f"model.layers.{i}.mlp.{p}_proj" for i in (0, 125) for p in ("gate", "up", "down")]
    got = stored(
        decoder("llama", 16384, 126, 128, 8, 53248, 128256, tied=False),
        {"quant_method": "fbgemm_fp8", "modules_to_not_convert": [*kept, "lm_head"]},
    )
    assert got["stored_elements"] == 405868625920 == 405853388800 + 124 * (2 * 53248 + 16384)
    assert "model.layers.{layer}.mlp.down_proj (layers 0,125)" in got["high_precision"]


@pytest.mark.parametrize(
    ("config", "weights", "elements"),
    [
        (decoder("llama", 2048, 22, 32, 4, 5632, 32000, tied=False), {"strategy": "channel"}, 252669236),
        (decoder("granite", 2048, 40, 32, 8, 8192, 49155, tied=True), {"strategy": "group", "group_size": 64}, 543603248),
    ],
    ids=["TinyLlama w4a16", "granite-3.1-2b w4a16"],
)
def test_packed_integers(config: dict[str, Any], weights: dict[str, Any], elements: int) -> None:
    """compressed-tensors, 32-bit words counted as one."""
    group = {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "symmetric": True, **weights}}
    assert (
        stored(
            config,
            {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": group}, "ignore": ["lm_head"]},
        )["stored_elements"]
        == elements
    )


def test_mxfp4() -> None:
    """gpt-oss-120b: 60.77 GiB, and 20b: 12.8 GiB (arXiv 2508.10925, Table 1)."""
    config = decoder("gpt_oss", 2880, 36, 64, 8, 2880, 201088, tied=False, head_dim=64, num_local_experts=128, num_experts_per_tok=4)
    quantization = {
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"],
    }
    got = stored(config, quantization)
    assert got["bytes"] == 65248815744
    assert (
        got["logical_elements"] + 36 * 128 * 2880 * (5760 + 2880) // 32 == 120412337472
    )  # as the hub counts: every weight and every scale
    assert stored({**config, "num_hidden_layers": 24, "num_local_experts": 32}, quantization)["bytes"] / 2**30 == pytest.approx(
        12.8, rel=5e-3
    )


def test_nf4() -> None:
    """A Llama-2-13B in NF4, doubly quantised: 7,201,770,923 bytes with 280 JSON texts of 171.6 bytes."""
    got = stored(decoder("llama", 5120, 40, 40, 40, 13824, 32000, tied=False), NF4)
    assert got["bytes"] == 7201770923 - 48043
    assert pytest.approx(171.6, abs=0.05) == 48043 / 280


def test_gptq() -> None:
    """Qwen2-1.5B-Instruct-GPTQ-Int4: an untied head, and biases of zeros where the model has none."""
    got = stored(decoder("qwen2", 1536, 28, 12, 2, 8960, 151936, tied=True), {"quant_method": "gptq", "bits": 4, "group_size": 128})
    assert got["logical_elements"] == 1777675776


def test_gptq_by_hand() -> None:
    """One layer of 256 and 512: words of eight values, zeros and scales every 128, an index of the inputs."""
    config = decoder("qwen2", 256, 1, 2, 2, 512, 1000, tied=False)
    got = stored(config, {"quant_method": "gptq", "bits": 4, "group_size": 128})
    square, wide = 256 * 256, 256 * 512
    words = (4 * square + 3 * wide) // 8
    zeros = (4 * 2 * 256 + 2 * 2 * 512 + 4 * 256) // 8
    scales = 4 * 2 * 256 + 2 * 2 * 512 + 4 * 256
    indices, biases = 4 * 256 + 2 * 256 + 512, 3 * 256 + 256 + 2 * 512 + 256
    rest = 2 * 1000 * 256 + 3 * 256
    assert got["bytes"] == 4 * (words + zeros + indices) + 2 * (scales + biases + rest)


def test_awq() -> None:
    """Qwen2.5-0.5B-Instruct-AWQ."""
    quantization = {
        "quant_method": "awq",
        "bits": 4,
        "group_size": 128,
        "zero_point": True,
        "version": "gemm",
        "modules_to_not_convert": None,
    }
    assert stored(decoder("qwen2", 896, 24, 14, 2, 4864, 151936, tied=True), quantization)["logical_elements"] == 630167424


def test_nvfp4_beside_the_config() -> None:
    """Qwen3-Coder-30B-A3B-NVFP4: nothing in config.json; the published count has two values a byte and no scales."""
    side = {"quantization": {"quant_algo": "NVFP4", "group_size": 16, "exclude_modules": ["lm_head", "*.mlp.gate"]}}
    got = stored(CODER, **{"hf_quant_config.json": side})
    packed = 48 * (2 * 2048 * 4096 + 2 * 2048 * 512 + 128 * 3 * 2048 * 768)
    assert got["method"] == "modelopt"
    assert got["stored_elements"] - packed // 16 - 2 * 48 * (4 + 3 * 128) == 15583623168


def test_nvfp4_experts_alone() -> None:
    """MiniMax-M2.7-NVFP4 keeps attention in 16 bits: the exclude list decides, not the method.

    The published count leaves the score biases out.
    """
    quantization = {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head", "*.self_attn*", "*.gate"]}
    packed = 62 * 256 * 3 * 3072 * 1536
    got = stored(MINIMAX, quantization)
    assert got["stored_elements"] - packed // 16 - 2 * 62 * 256 * 3 - 62 * 256 == 116349510656


def test_sparse_attention_keeps_its_weights() -> None:
    """DeepSeek-V3.2 (685,396,921,376 elements): the map to the indexer's head weights has no scales."""
    config = {**DEEPSEEK, "model_type": "deepseek_v32", "index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048}
    assert stored(config, FP8)["stored_elements"] == 685396921376


@pytest.mark.parametrize(
    "quantization",
    [{"quant_method": "torchao"}, {"quant_method": "unheard-of"}, {"quant_method": "gptq"},
     {"quant_method": "fp8", "weight_block_size": 128},
     {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"}],
    ids=str,
)  # fmt: skip
def test_not_known(quantization: dict[str, Any]) -> None:
    """No guess: null."""
    got = stored(decoder("llama", 64, 1, 2, 2, 128, 100, tied=False), quantization)
    assert (got["method"], got["bytes"], got["stored_elements"]) == (quantization["quant_method"], None, None)


def test_not_quantised() -> None:
    got = stored(decoder("llama", 2048, 16, 32, 8, 8192, 128256, tied=True, head_dim=64))
    assert (got["method"], got["bytes"], got["stored_elements"]) == ("none", 2 * 1235814400, 1235814400)


def test_mlx_in_three_bits() -> None:
    """Qwen2.5-14B in groups of 64: embedding and head are packed too; 6,463,203,328 bytes in its index."""
    got = stored(decoder("qwen2", 5120, 48, 40, 8, 13824, 152064, tied=False), {"group_size": 64, "bits": 3})
    assert (got["method"], got["bytes"]) == ("mlx", 6463203328)


def test_a_padded_head() -> None:
    """Inkling 2 keeps 201,024 rows of a head of 200,058: 966 of zeros, of the width of the residual stream."""
    config = {"model_type": "inkling2_text", "architectures": ["Inkling2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2}
    padded = stored({**config, "vocab_size": 201024, "unpadded_vocab_size": 200058})["stored_elements"]
    whole = stored({**config, "vocab_size": 201024, "unpadded_vocab_size": 201024})["stored_elements"]
    model = understand({**config, "vocab_size": 201024, "unpadded_vocab_size": 200058}, Folder())  # type: ignore[arg-type]
    assert padded == whole == sum(row.elements for row in model.rows if row.stored) + 966 * 64
