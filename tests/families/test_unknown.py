"""Configs of types that nothing knows, and sizes under names that their class does not read. Totals are worked out by hand."""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck import lint
from xfcheck.model import understand
from xfcheck.problems import Refused

if TYPE_CHECKING:
    from pathlib import Path

    from xfcheck.model import Model


def read(config: dict[str, Any]) -> Model:
    """A config, understood."""
    return understand(config, None)  # type: ignore[arg-type]


def total(model: Model) -> int:
    """Parameters of a model."""
    return sum(
        prod(row.shape) * (1 if row.layers is None else len(row.layers)) * (row.experts or 1)
        for row in model.rows
        if row.kind == "parameter" and not row.tied_to
    )


def fields(model: Model) -> set[str]:
    """Where the assumptions point."""
    return {assumption.field for assumption in model.assumptions}


# d = 64, 4 heads of 16, inner width 96, 3 layers, 100 words
ATTENTION, GATED, NORMS = 4 * 64 * 64, 3 * 64 * 96, 2 * 64
LLAMA = 2 * 100 * 64 + 3 * (ATTENTION + GATED + NORMS) + 64
GROUPED = LLAMA - 3 * 2 * 64 * 32


@pytest.mark.parametrize("model_type", ["some-new-model", None])
@pytest.mark.parametrize(
    "sizes",
    [
        {
            "hidden_size": 64,
            "num_hidden_layers": 3,
            "num_attention_heads": 4,
            "intermediate_size": 96,
            "vocab_size": 100,
            "rms_norm_eps": 1e-6,
        },
        {"d_model": 64, "n_layers": 3, "n_heads": 4, "d_ff": 96, "n_vocab": 100, "norm_eps": 1e-6, "activation": "swiglu"},
        {"dim": 64, "n_layers": 3, "n_heads": 4, "hidden_dim": 96, "vocab_size": 100, "norm_eps": 1e-6},
        {"hidden_dim": 64, "num_layers": 3, "num_heads": 4, "ffn_dim": 96, "vocab_size": 100, "hidden_act": "silu"},
    ],
)
def test_a_gated_decoder_under_any_names(model_type: str | None, sizes: dict[str, Any]) -> None:
    model = read(sizes if model_type is None else {"model_type": model_type, **sizes})
    assert total(model) == LLAMA
    assert model.fidelity == "estimated"
    assert {"/model_type", "/num_key_value_heads", "/tie_word_embeddings"} <= fields(model)
    other = {key for key in sizes if key in ("d_model", "dim", "hidden_dim", "n_layers", "num_layers", "d_ff", "ffn_dim")}
    assert {f"/{key}" for key in other} <= fields(model)


KNOWN = {"model_type": "unheard-of", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100}
RMS = {**KNOWN, "intermediate_size": 96, "rms_norm_eps": 1e-6}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"num_query_groups": 2}, GROUPED),
        ({"tie_word_embeddings": True}, LLAMA - 100 * 64),
        ({"attention_bias": True}, LLAMA + 3 * 4 * 64),
        ({"qkv_bias": True}, LLAMA + 3 * 3 * 64),
        ({"qk_norm": True}, LLAMA + 3 * 2 * 16),
        ({"head_dim": 32}, LLAMA + 3 * ATTENTION),
        ({"hidden_act": "relu", "mlp_bias": False}, LLAMA - 3 * 64 * 96),
    ],
)
def test_switches(keys: dict[str, Any], expected: int) -> None:
    assert total(read({**RMS, **keys})) == expected


def test_experts() -> None:
    """One dense layer, two with 8 experts of 32, a router and one shared expert as wide as two."""
    keys = {"n_routed_experts": 8, "moe_topk": 2, "moe_intermediate_size": 32, "n_shared_experts": 2, "first_k_dense_replace": 1}
    sparse = 8 * 3 * 64 * 32 + 8 * 64 + 3 * 64 * 64
    assert total(read({**RMS, **keys})) == LLAMA - 2 * GATED + 2 * sparse


def test_latent_attention() -> None:
    keys = {"kv_lora_rank": 24, "q_lora_rank": None, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 12}
    latent = 4 * 24 * 64 + (24 + 8) * 64 + 24 + 4 * (16 + 12) * 24 + 64 * 4 * 12
    assert total(read({**RMS, **keys})) == LLAMA + 3 * (latent - ATTENTION)


def test_gpt_like() -> None:
    """Layer norms, biases, a table of positions, four times the width inside."""
    keys = {"layer_norm_epsilon": 1e-5, "activation_function": "gelu", "n_positions": 32, "n_inner": None}
    layer = ATTENTION + 4 * 64 + 2 * 64 * 256 + 256 + 64 + 2 * 2 * 64
    assert total(read({**KNOWN, **keys})) == 2 * 100 * 64 + 32 * 64 + 3 * layer + 2 * 64


def test_encoder() -> None:
    """Token types make an encoder: BERT's model for masked words, its matrix tied, its bias once."""
    config = {
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "vocab_size": 100,
        "max_position_embeddings": 32,
        "sent_type_vocab_size": 4,
        "type_vocab_size": 4,
    }
    layer = ATTENTION + 4 * 64 + 2 * 64 * 256 + 256 + 64 + 2 * 2 * 64
    assert total(read(config)) == (100 + 32 + 4) * 64 + 2 * 64 + 3 * layer + (64 * 64 + 64 + 2 * 64 + 100)


@pytest.mark.parametrize(
    ("missing", "key"),
    [("vocab_size", "vocab_size"), ("num_attention_heads", "num_attention_heads"), ("intermediate_size", "intermediate_size")],
)
def test_a_size_that_is_not_there_is_named(missing: str, key: str) -> None:
    with pytest.raises(Refused, match=key) as refused:
        read({k: v for k, v in RMS.items() if k != missing})
    assert refused.value.code == "XF101"


@pytest.mark.parametrize(
    "config",
    [{}, {"model_type": "unheard-of"}, {"model_type": "unheard-of", "hidden_size": 64}, {"model_type": "swin", "num_channels": 3}],
)
def test_no_sizes_no_model(config: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        read(config)
    assert refused.value.code == "XF101"


def test_a_class_of_transformers_under_an_unknown_type() -> None:
    model = read({**RMS, "architectures": ["LlamaForCausalLM"]})
    assert (total(model), model.fidelity, model.family) == (LLAMA, "estimated", "llama")
    with pytest.raises(Refused, match="hidden_size"):
        read({"model_type": "unheard-of", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 3})


def test_code_is_named_and_not_run() -> None:
    model = read({**RMS, "auto_map": {"AutoModelForCausalLM": "modeling_new.NewForCausalLM"}, "architectures": ["NewForCausalLM"]})
    said = {assumption.field: assumption.why for assumption in model.assumptions}
    assert "modeling_new.NewForCausalLM" in said["/auto_map"]
    assert "NewForCausalLM" in said["/architectures"]


def test_the_language_model_inside() -> None:
    inner = {key: value for key, value in RMS.items() if key != "model_type"}
    model = read(
        {"model_type": "unheard-of-vl", "text_config": {**inner, "model_type": "unheard-of"}, "vision_config": {"hidden_size": 32}}
    )
    assert (total(model), model.fidelity) == (LLAMA, "estimated")
    assert "/text_config/model_type" in fields(model)


def test_foreign_names_under_a_known_type() -> None:
    """GPT-2's XL model as another tool describes it: 1,557,611,200 parameters on its model card's checkpoint."""
    config = {
        "name": "gpt2-xl",
        "num_layers": 48,
        "n_head": 25,
        "hidden_dim": 1600,
        "vocab_size": 50257,
        "max_seq_len": 1024,
        "ffn_embed_dim": 6400,
        "model_type": "gpt2",
    }
    model = read(config)
    assert total(model) == 1_557_611_200
    assert model.fidelity == "estimated"
    assert {"/num_layers", "/hidden_dim", "/max_seq_len"} <= fields(model)


def test_names_that_the_class_reads_are_not_foreign() -> None:
    plain = {
        "model_type": "gpt2",
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "vocab_size": 100,
        "architectures": ["GPT2LMHeadModel"],
    }
    own = {"model_type": "gpt2", "n_embd": 64, "n_layer": 3, "n_head": 4, "vocab_size": 100, "architectures": ["GPT2LMHeadModel"]}
    assert total(read(plain)) == total(read(own))
    assert read(plain).fidelity_by == read(own).fidelity_by
    assert not any("read as" in assumption.why for assumption in read(plain).assumptions)


GEMMA = {
    "model_type": "gemma3",
    "hidden_size": 1152,
    "intermediate_size": 6912,
    "num_attention_heads": 4,
    "num_hidden_layers": 26,
    "num_key_value_heads": 1,
    "head_dim": 256,
    "vocab_size": 262144,
}
"""google/gemma-3-1b-it as one tool writes it: the composite type, the language model's keys at the root."""


def test_a_language_model_under_its_composite_type() -> None:
    model = read({**GEMMA, "architectures": ["Gemma3ForCausalLM"]})
    assert (total(model), model.fidelity) == (999_885_952, "estimated")  # the hub's total of that model
    assert "/model_type" in fields(model)


def test_sizes_that_nothing_reads_are_said() -> None:
    model = read({**GEMMA, "model_type": "llama4", "architectures": ["Llama4ForConditionalGeneration"]})
    assert model.fidelity == "estimated"
    assert {"/hidden_size", "/num_hidden_layers"} <= fields(model)


def test_what_own_code_reads_under_other_names_is_no_fault(tmp_path: Path) -> None:
    """A published file with code beside it may lack every usual size; the same file without code lacks them."""
    config = {"model_type": "unheard-of", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100, "hidden_act": "silu"}
    found = {}
    for name, more in (("own-code", {"auto_map": {"AutoConfig": "configuration_x.XConfig"}}), ("plain", {})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps({**config, **more}))
        (answer,) = lint(tmp_path / name)
        found[name] = {finding["code"] for finding in answer["findings"] if finding["severity"] == "error"}
    assert found == {"own-code": set(), "plain": {"XF101"}}
