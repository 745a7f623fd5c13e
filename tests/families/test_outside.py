"""Models that transformers does not have: published totals, tensor counts of published indexes, and sizes worked out by hand."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.model import understand
from xfcheck.problems import Refused

if TYPE_CHECKING:
    from xfcheck.ledger import Row
    from xfcheck.model import Model

QWEN = {"model_type": "qwen", "architectures": ["QWenLMHeadModel"], "kv_channels": 128, "no_bias": True, "tie_word_embeddings": False}
INTERNLM2 = {
    "model_type": "internlm2",
    "architectures": ["InternLM2ForCausalLM"],
    "bias": False,
    "vocab_size": 92544,
    "num_key_value_heads": 8,
    "tie_word_embeddings": False,
}
MINIMAX = {
    "model_type": "minimax_m1",
    "architectures": ["MiniMaxM1ForCausalLM"],
    "attn_type_list": ([0] * 7 + [1]) * 10,
    "head_dim": 128,
    "hidden_size": 6144,
    "intermediate_size": 9216,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "num_experts_per_tok": 2,
    "num_local_experts": 32,
    "num_hidden_layers": 80,
    "vocab_size": 200064,
    "tie_word_embeddings": False,
}
MIMO = {
    "model_type": "mimo",
    "architectures": ["MiMoForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_attention_heads": 32,
    "head_dim": 128,
    "num_hidden_layers": 36,
    "num_key_value_heads": 8,
    "vocab_size": 151680,
    "attention_bias": True,
    "num_nextn_predict_layers": 1,
    "tie_word_embeddings": False,
    "use_sliding_window": False,
}
PANGU = {
    "model_type": "PanguEmbedded",
    "architectures": ["PanguEmbeddedForCausalLM"],
    "bias": True,
    "hidden_size": 4096,
    "intermediate_size": 12800,
    "num_attention_heads": 32,
    "num_hidden_layers": 34,
    "num_key_value_heads": 8,
    "vocab_size": 153376,
    "tie_word_embeddings": False,
}
PHI2 = {
    "model_type": "mixformer-sequential",
    "architectures": ["MixFormerSequentialForCausalLM"],
    "n_embd": 2560,
    "n_head": 32,
    "n_layer": 32,
    "n_positions": 2048,
    "rotary_dim": 32,
    "vocab_size": 51200,
}
CHATGLM3 = {
    "model_type": "chatglm",
    "architectures": ["ChatGLMModel"],
    "add_bias_linear": False,
    "add_qkv_bias": True,
    "ffn_hidden_size": 13696,
    "hidden_size": 4096,
    "kv_channels": 128,
    "multi_query_attention": True,
    "multi_query_group_num": 2,
    "num_attention_heads": 32,
    "num_layers": 28,
    "padded_vocab_size": 65024,
    "rmsnorm": True,
    "post_layer_norm": True,
}
DEEPSEEK = {
    "model_type": "deepseek",
    "architectures": ["DeepseekForCausalLM"],
    "vocab_size": 102400,
    "hidden_size": 2048,
    "intermediate_size": 10944,
    "moe_intermediate_size": 1408,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "n_shared_experts": 2,
    "n_routed_experts": 64,
    "num_experts_per_tok": 6,
    "first_k_dense_replace": 1,
}
YI = {
    "model_type": "Yi",
    "architectures": ["YiForCausalLM"],
    "intermediate_size": 11008,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "tie_word_embeddings": False,
}
MINICPM = {
    "model_type": "minicpm",
    "architectures": ["MiniCPMForCausalLM"],
    "hidden_size": 2304,
    "intermediate_size": 5760,
    "num_attention_heads": 36,
    "num_hidden_layers": 40,
    "num_key_value_heads": 36,
    "vocab_size": 122753,
}
KIMI_K2 = {
    "model_type": "kimi_k2",
    "architectures": ["DeepseekV3ForCausalLM"],
    "num_hidden_layers": 61,
    "hidden_size": 7168,
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "intermediate_size": 18432,
    "vocab_size": 163840,
    "n_routed_experts": 384,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 2048,
    "first_k_dense_replace": 1,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "tie_word_embeddings": False,
}
BAICHUAN = {"model_type": "baichuan", "architectures": ["BaichuanForCausalLM"], "tie_word_embeddings": False}
PHI3_SMALL = {"model_type": "phi3small", "architectures": ["Phi3SmallForCausalLM"], "vocab_size": 100352}

CONFIRMED: dict[str, tuple[dict[str, Any], int]] = {
    # bytes of the safetensors or torch index, over the bytes of an element
    "Qwen-72B": (
        {**QWEN, "hidden_size": 8192, "intermediate_size": 49152, "num_attention_heads": 64, "num_hidden_layers": 80, "vocab_size": 152064},
        144_575_840_256 // 2,
    ),
    "Qwen-7B": (
        {**QWEN, "hidden_size": 4096, "intermediate_size": 22016, "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 151936},
        15_442_649_088 // 2,
    ),
    "internlm2-1.8b": (
        {**INTERNLM2, "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 16, "num_hidden_layers": 24},
        3_778_220_032 // 2,
    ),
    "internlm2-7b": (
        {**INTERNLM2, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32},
        15_475_417_088 // 2,
    ),
    "phi-2": (PHI2, 11_118_735_360 // 4),
    "openPangu-Embedded-7B": (PANGU, (16_061_784_576 - 34 * 64 * 4) // 2),
    "MiniMax-M1": (MINIMAX, (912_210_767_872 - 2 * 80 * 6144 * 32) // 2),
    # parameters on the model card or of the hub
    "MiMo-7B": (MIMO, 15_666_819_072 // 2 - 210_790_400),
    "chatglm3-6b": (CHATGLM3, 6_243_584_000),
    "deepseek-moe-16b": (DEEPSEEK, 16_375_728_128),
    "Baichuan-7B": ({**BAICHUAN, "vocab_size": 64000, "max_position_embeddings": 4096}, 7_000_559_616),
    "Baichuan-13B": ({**BAICHUAN, "model_max_length": 4096}, 13_264_901_120),
    "Baichuan2-7B": ({**BAICHUAN, "max_position_embeddings": 4096}, 7_505_973_248),
    "Yi-6B": ({**YI, "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 64000}, 6_061_035_520),
    "Yi-34B": (
        {
            **YI,
            "hidden_size": 7168,
            "intermediate_size": 20480,
            "num_attention_heads": 56,
            "num_key_value_heads": 8,
            "num_hidden_layers": 60,
            "vocab_size": 64000,
        },
        34_388_917_248,
    ),
    "MiniCPM-2B": (MINICPM, 2_442_057_984 + 122_753 * 2304),
    "Kimi-K2": (KIMI_K2, 1_026_408_209_408),
    "Phi-3-small": (PHI3_SMALL, 7_392_274_432 - 32 * 64),
}

TENSORS = {
    "Qwen-72B": 643,
    "Qwen-7B": 259,
    "internlm2-1.8b": 171,
    "internlm2-7b": 227,
    "phi-2": 325,
    "openPangu-Embedded-7B": 479,
    "MiniMax-M1": 8243,
    "MiMo-7B": 451,
}
"""How many tensors the published index of a checkpoint lists."""


def read(config: dict[str, Any]) -> Model:
    """A config, understood."""
    return understand(config, None)  # type: ignore[arg-type]


def tensors(row: Row) -> int:
    """How many tensors a row stands for."""
    return (1 if row.layers is None else len(row.layers)) * (row.experts or 1)


def total(model: Model) -> int:
    """Parameters of a model."""
    return sum(prod(row.shape) * tensors(row) for row in model.rows if row.kind == "parameter" and not row.tied_to)


@pytest.mark.parametrize("name", CONFIRMED)
def test_published_total(name: str) -> None:
    config, published = CONFIRMED[name]
    model = read(config)
    assert total(model) == published
    assert model.fidelity_by == {"parameters": "exact", "active": "exact", "flops": "estimated", "cache": "estimated"}
    assert model.fidelity == "estimated"


@pytest.mark.parametrize("name", TENSORS)
def test_published_number_of_tensors(name: str) -> None:
    model = read(CONFIRMED[name][0])
    assert sum(tensors(row) for row in model.rows if not row.tied_to) == TENSORS[name]


def test_layers_of_the_numbered_phi() -> None:
    names = {row.name: str(row.layers) for row in read(PHI2).rows}
    assert names["layers.0.wte.weight"] == "None"
    assert names["layers.{layer}.mixer.Wqkv.weight"] == "1-32"
    assert names["layers.33.linear.weight"] == "None"


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({**QWEN, "no_bias": False}, "/no_bias"),
        ({**QWEN, "visual": {"layers": 48}}, "/visual"),
        ({**CHATGLM3, "add_bias_linear": True}, "/add_bias_linear"),
        ({**INTERNLM2, "bias": True}, "/bias"),
        ({**CHATGLM3, "architectures": ["ChatGLMForSequenceClassification"]}, "/architectures"),
    ],
)
def test_a_switch_that_no_total_confirms_is_an_estimate(config: dict[str, Any], key: str) -> None:
    model = read(config)
    assert model.fidelity_by["parameters"] == "estimated"
    assert key in {assumption.field for assumption in model.assumptions}


def test_layers_found_by_search() -> None:
    """Inner widths: int(2 * mult * 64 / 3) up to a multiple of 256; a layer may lack a step or have one square matrix in its place."""
    blocks = [
        {"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 4.0}},
        {"attention": {"no_op": True}, "ffn": {"ffn_mult": 8.0}},
        {"attention": {"replace_with_linear": True}, "ffn": {"no_op": True}},
    ]
    config = {
        "model_type": "nemotron-nas",
        "architectures": ["DeciLMForCausalLM"],
        "hidden_size": 64,
        "num_attention_heads": 4,
        "num_hidden_layers": 3,
        "vocab_size": 100,
        "block_configs": blocks,
    }
    first = 64 + 2 * 64 * 64 + 2 * 64 * 32 + 64 + 3 * 64 * 256  # two of four heads keep keys; 170 rounds up to 256
    second = 64 + 3 * 64 * 512  # 341 rounds up to 512
    third = 64 + 64 * 64
    assert total(read(config)) == 2 * 100 * 64 + first + second + third + 64
    with pytest.raises(Refused, match="2 layers are described"):
        read({**config, "block_configs": blocks[:2]})


def test_flash_linear_attention() -> None:
    """d = 64, 4 heads, keys of half the width, a rank of 16 in the gate's map, inner width int(64 * 4 * 2 / 3) = 170 up to 256."""
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_heads": 4, "vocab_size": 100}
    mlp = 64 + 3 * 64 * 256
    ends = 2 * 100 * 64 + 64
    gla = 64 + 64 * 32 * 2 + 64 * 64 * 2 + 16 * 64 + 32 * 16 + 32 + 16 + 64 * 64
    assert total(read({"model_type": "gla", **sizes})) == ends + 2 * (gla + mlp)
    plain = 64 + 4 * 64 * 64
    assert total(read({"model_type": "transformer", **sizes})) == ends + 2 * (plain + mlp)
    mixed = {"model_type": "gla", **sizes, "attn": {"layers": [1], "num_heads": 4}}
    assert total(read(mixed)) == ends + gla + plain + 2 * mlp


def test_state_of_linear_attention_does_not_grow() -> None:
    from xfcheck.accounting.cache import cache

    a = read({"model_type": "gla", "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 4, "vocab_size": 100}).architecture
    short, long = (cache(a, batch=1, context=n, source=0, dtype="bfloat16")["bytes"] for n in (8, 8192))
    assert short == long == 2 * 4 * (8 * 16) * 4  # layers, heads, keys by values, bytes of fp32


EAGLE3 = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLMEagle3"],
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_attention_heads": 32,
    "head_dim": 128,
    "num_key_value_heads": 8,
    "num_hidden_layers": 1,
    "vocab_size": 151936,
    "draft_vocab_size": 32000,
    "tie_word_embeddings": False,
}


def test_eagle3() -> None:
    model = read(EAGLE3)
    attention = 8192 * (4096 + 2 * 1024) + 4096 * 4096
    assert total(model) == 151936 * 4096 + attention + 3 * 4096 * 12288 + 3 * 4096 * 4096 + 32000 * 4096 + 4 * 4096
    assert model.fidelity == "estimated"
    assert {"midlayer.self_attn.q_proj.weight", "fc.weight", "d2t", "t2d"} <= {row.name for row in model.rows}


def test_dflash_has_neither_table_nor_head() -> None:
    config = {
        "model_type": "qwen3",
        "architectures": ["DFlashDraftModel"],
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_attention_heads": 4,
        "head_dim": 32,
        "num_key_value_heads": 2,
        "num_hidden_layers": 5,
        "vocab_size": 1000,
        "dflash_config": {"target_layer_ids": [1, 9, 17]},
    }
    layer = 64 * 128 + 2 * 64 * 64 + 128 * 64 + 2 * 32 + 3 * 64 * 96 + 2 * 64
    model = read(config)
    assert total(model) == 5 * layer + 3 * 64 * 64 + 2 * 64
    assert model.fidelity == "estimated"


def test_openelm() -> None:
    """Heads and inner widths of the 270M model's file, one a layer."""
    config = {
        "model_type": "openelm",
        "architectures": ["OpenELMForCausalLM"],
        "model_dim": 1280,
        "head_dim": 64,
        "num_transformer_layers": 16,
        "vocab_size": 32000,
        "normalize_qk_projections": True,
        "share_input_output_layers": True,
        "ffn_with_glu": True,
        "ffn_multipliers": [0.5, 0.73, 0.97, 1.2, 1.43, 1.67, 1.9, 2.13, 2.37, 2.6, 2.83, 3.07, 3.3, 3.53, 3.77, 4.0],
        "num_kv_heads": [3] * 5 + [4] * 7 + [5] * 4,
        "num_query_heads": [12] * 5 + [16] * 7 + [20] * 4,
    }
    model = read(config)
    assert (total(model), model.fidelity_by["parameters"]) == (271_527_168, "exact")
    with pytest.raises(Refused, match="num_kv_heads"):
        read({**config, "num_kv_heads": [3] * 15})


def test_grok() -> None:
    """The model card says 314B parameters."""
    model = read({"model_type": "grok-1"})
    layer = 6144 * 128 * (48 * 2 + 8 * 2) + 8 * 3 * 6144 * 32768 + 8 * 6144 + 4 * 6144
    assert total(model) == 131072 * 6144 + 64 * layer + 6144
    assert total(model) == pytest.approx(314e9, rel=0.01)
    assert model.fidelity == "estimated"


def test_codet5p() -> None:
    """The index of CodeT5+ 16B lists 500 tensors of 33,218,048,000 bytes: 16-bit numbers, and a mask of 2048 x 2048 bytes an attention."""
    side = {"n_positions": 2048, "rotary_dim": 64, "vocab_size": 51200, "tie_word_embeddings": False}
    encoder = {**side, "n_embd": 1024, "n_head": 16, "n_layer": 20}
    decoder = {**side, "n_embd": 6144, "n_head": 24, "n_layer": 34, "add_cross_attention": True}
    rows = read({"model_type": "codet5p", "encoder": encoder, "decoder": decoder}).rows
    assert sum(tensors(row) for row in rows) == 500
    assert sum(prod(row.shape) * tensors(row) * (1 if row.kind == "buffer" else 2) for row in rows) == 33_218_048_000


def test_names_of_plamo3_and_pangu() -> None:
    """Maps of queries, keys and values in one tensor, gate and up in another; a scale of each expert's weight, `[1, experts]`."""
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100}
    plamo = read({"model_type": "plamo3", **sizes, "head_dim": 8, "intermediate_size": 48, "sliding_window_pattern": 2, "window_size": 8})
    held = {row.name.replace("{layer}", "0"): row.shape for row in plamo.rows}
    assert held["model.layers.layers.0.mixer.qkv_proj.weight"] == (4 * 8 + 2 * 2 * 8, 64)
    assert held["model.layers.layers.0.mlp.gate_up_proj.weight"] == (96, 64)
    assert {s.mixers[0].mask.kind for b in plamo.architecture.main.blocks for s in b.sublayers[:1]} == {"causal", "sliding"}  # type: ignore[attr-defined]
    experts = {"num_experts": 16, "num_experts_per_tok": 8, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 40}
    pangu = read({"model_type": "PanguProMoE", **sizes, **experts, "mlp_only_layers": [0], "intermediate_size": 48})
    held = {row.name.replace("{layer}", str(min(row.layers or [0]))): row.shape for row in pangu.rows}
    assert held["model.layers.1.mlp.router_scale"] == (1, 16)
    assert held["model.layers.1.mlp.shared_expert.up_proj.weight"] == (40, 64)
    assert held["model.layers.0.mlp.up_proj.weight"] == (48, 64)
    assert held["model.layers.0.self_attn.o_proj.bias"] == (64,)


def test_a_head_of_more_rows_than_a_checkpoint_keeps() -> None:
    """Inkling 2 pads its head to `vocab_size` rows as it is saved; one that has more is built and cannot be."""
    sizes = {"model_type": "inkling2_text", "architectures": ["Inkling2ForCausalLM"], "vocab_size": 160}
    assert read({**sizes, "unpadded_vocab_size": 150}).fidelity_by["parameters"] == "exact"
    model = read({**sizes, "unpadded_vocab_size": 200})
    assert model.fidelity_by["parameters"] == "estimated"
    assert "/unpadded_vocab_size" in {assumption.field for assumption in model.assumptions}
