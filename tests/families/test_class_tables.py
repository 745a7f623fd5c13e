"""The class tables are those of the installed transformers, and say what its sources say."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from xfcheck.families._classes import architecture_owner, base_table, class_table, known_types

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = """
    llama gemma gemma2 gemma3_text gemma3n_text gemma4_text mistral mixtral qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next qwen3_5_text
    deepseek_v2 deepseek_v3 gpt2 gpt-sw3 gpt_neox gpt_oss phi phi3 cohere olmo2 t5 bart whisper bert roberta modernbert albert
    mamba mamba2 jamba falcon mpt dbrx llava qwen2_vl kimi_linear csm shieldgemma2
"""


def _check(*arguments: str) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "class_tables.py"), "--check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_sample_and_the_index_are_fresh() -> None:
    _check("--types", *SAMPLE.split())


@pytest.mark.full
def test_every_table_is_fresh() -> None:
    _check()


# Values read in the sources of transformers 5.24.0, models/<type>/configuration_<type>.py.
DEFAULTS = [
    ("llama", "num_key_value_heads", None),
    ("llama", "head_dim", None),
    ("llama", "intermediate_size", 11008),
    ("llama", "tie_word_embeddings", False),
    ("gemma2", "head_dim", 256),
    ("gemma2", "sliding_window", 4096),
    ("gemma2", "tie_word_embeddings", True),
    ("gemma2", "attn_logit_softcapping", 50.0),
    ("mistral", "sliding_window", 4096),
    ("mistral", "num_key_value_heads", 8),
    ("mixtral", "num_local_experts", 8),
    ("qwen2", "num_key_value_heads", 32),
    ("qwen3", "head_dim", 128),
    ("qwen3_moe", "num_key_value_heads", 4),
    ("deepseek_v3", "n_routed_experts", 256),
    ("deepseek_v3", "first_k_dense_replace", 3),
    ("deepseek_v3", "kv_lora_rank", 512),
    ("t5", "d_kv", 64),
    ("t5", "num_decoder_layers", None),
    ("gpt2", "n_embd", 768),
    ("gpt2", "tie_word_embeddings", True),
    ("mamba2", "time_step_limit", [0.0, float("inf")]),
    ("MptAttentionConfig", "attn_type", "multihead_attention"),
    ("bert", "architectures", None),
    ("bert", "is_encoder_decoder", False),
    ("bert", "no_such_key", None),
]


@pytest.mark.parametrize(("model_type", "key", "value"), DEFAULTS)
def test_defaults(model_type: str, key: str, value: object) -> None:
    table = class_table(model_type)
    assert table is not None
    assert table.default(key) == value


CANONICAL = [
    ("deepseek_v3", "num_local_experts", "n_routed_experts"),
    ("t5", "hidden_size", "d_model"),
    ("t5", "head_dim", "d_kv"),
    ("t5", "num_attention_heads", "num_heads"),
    ("t5", "num_hidden_layers", "num_layers"),
    ("gpt2", "hidden_size", "n_embd"),
    ("gpt2", "n_embd", "n_embd"),
    # num_experts is both the declared field and the left side of the attribute map
    ("qwen3_moe", "num_local_experts", "num_experts"),
    ("qwen3_moe", "num_experts", "num_experts"),
    ("llama", "no_such_key", "no_such_key"),
]


@pytest.mark.parametrize(("model_type", "key", "name"), CANONICAL)
def test_canonical(model_type: str, key: str, name: str) -> None:
    table = class_table(model_type)
    assert table is not None
    assert table.canonical(key) == name


def test_types_are_those_of_the_annotations() -> None:
    llama = class_table("llama")
    assert llama is not None
    assert llama.types("hidden_size") == ("int",)
    assert llama.types("rms_norm_eps") == ("float",)
    assert llama.types("attention_dropout") == ("int", "float", "null")
    assert llama.types("eos_token_id") == ("int", "list", "null")
    assert llama.types("rope_parameters") == ("dict", "null")
    assert llama.types("id2label") == ("dict", "null")
    assert llama.types("no_such_key") == ()


def test_rope_bases() -> None:
    bases = {name: table.default_theta for name in ("llama", "gemma3_text", "mixtral") if (table := class_table(name))}
    assert bases == {"llama": 10000.0, "gemma3_text": {"global": 1000000.0, "local": 10000.0}, "mixtral": 1000000.0}


def test_undeclared_keys_that_the_sources_read() -> None:
    qwen3_moe = class_table("qwen3_moe")
    assert qwen3_moe is not None
    assert not qwen3_moe.declares("head_dim")
    assert "head_dim" in qwen3_moe.reads
    assert qwen3_moe.accepts("head_dim")
    assert not qwen3_moe.accepts("num_hidden_layer")
    assert qwen3_moe.accepts("torch_dtype")


def test_declared_keys_that_nothing_reads() -> None:
    llama = class_table("llama")
    assert llama is not None
    assert llama.unread == {"pretraining_tp"}


def test_keys_looked_up_at_initialisation() -> None:
    gemma3 = class_table("gemma3_text")
    assert gemma3 is not None
    assert gemma3.kwargs == {"rope_local_base_freq", "rope_scaling", "rope_theta", "sliding_window_pattern"}


def test_sub_configs() -> None:
    llava, mpt, aya = class_table("llava"), class_table("mpt"), class_table("aya_vision")
    assert llava is not None
    assert mpt is not None
    assert aya is not None
    assert llava.sub_configs == {"text_config": "llama", "vision_config": "clip_vision_model"}
    assert llava.sub_defaults["vision_config"]["num_hidden_layers"] == 24
    assert mpt.sub_configs == {"attn_config": "MptAttentionConfig"}
    assert aya.sub_defaults["vision_config"]["hidden_size"] == 1152


def test_tying() -> None:
    llama, t5 = class_table("llama"), class_table("t5")
    assert llama is not None
    assert t5 is not None
    causal = llama.models["LlamaForCausalLM"]
    assert causal == {"tied": {"lm_head.weight": "model.embed_tokens.weight"}, "tie": "config", "prefix": "model"}
    assert t5.models["T5ForConditionalGeneration"]["tie"] == "always"
    assert "tie" not in llama.models["LlamaForSequenceClassification"]
    csm, shieldgemma2 = class_table("csm"), class_table("shieldgemma2")
    assert csm is not None
    assert shieldgemma2 is not None
    assert {facts["tie"] for facts in csm.models.values() if "tie" in facts} == {"tie_codebooks_embeddings"}
    assert {facts["tie"] for facts in shieldgemma2.models.values() if "tie" in facts} == {"either"}


OWNERS = {
    "LlamaForCausalLM": ("llama", "causal"),
    "LlamaModel": ("llama", "base"),
    "LlamaForSequenceClassification": ("llama", "sequence_classification"),
    "GPT2LMHeadModel": ("gpt2", "causal"),
    "BertForMaskedLM": ("bert", "masked"),
    "BertForPreTraining": ("bert", "pretraining"),
    "BertForNextSentencePrediction": ("bert", "next_sentence"),
    "T5ForConditionalGeneration": ("t5", "seq2seq"),
    "WhisperForConditionalGeneration": ("whisper", "speech_seq2seq"),
    "LlavaForConditionalGeneration": ("llava", "conditional_generation"),
}


@pytest.mark.parametrize("class_name", OWNERS)
def test_owners_of_model_classes(class_name: str) -> None:
    assert architecture_owner(class_name) == OWNERS[class_name]


@pytest.mark.parametrize(
    "model_type", ["", "..", "../llama", "_base", "_index", "llama.json", "/etc/passwd", "LLAMA", None, 3, ["llama"], {}]
)
def test_unknown_model_types_have_no_table(model_type: object) -> None:
    assert class_table(model_type) is None


# transformers 5.24.0 names sub-configs there that its own mapping does not have (nougat means donut-swin).
UNMAPPED_PARTS = {"donut_swin", "rf_detr_vit"}


def test_every_table_reads() -> None:
    for model_type in sorted(known_types()):
        table = class_table(model_type)
        assert table is not None
        assert all(class_table(part) or part in UNMAPPED_PARTS for part in table.sub_configs.values()), model_type
        assert table.unread <= set(table.fields)
        assert not table.reads & set(table.fields)
    assert len(known_types()) == 822
    assert "dtype" in base_table().fields


def test_a_default_is_the_caller_s_own() -> None:
    mamba2 = class_table("mamba2")
    assert mamba2 is not None
    mamba2.default("time_step_limit").append(1)
    assert mamba2.default("time_step_limit") == [0.0, float("inf")]


def test_a_table_reads_in_well_under_a_millisecond() -> None:
    class_table("llama")
    fresh = [name for name in sorted(known_types()) if name.startswith("q")]
    started = time.process_time()
    for name in fresh:
        class_table(name)
    assert (time.process_time() - started) / len(fresh) < 0.001


def test_nothing_is_read_at_import() -> None:
    code = "import xfcheck.families._classes as c; print(c._index.cache_info().currsize, c._table.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["0", "0"]
