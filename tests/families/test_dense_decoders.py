"""What sets single dense decoders apart, against numbers read off transformers 5.24.0 (meta builds and eager runs of these configs)."""

from __future__ import annotations

from typing import Any

import pytest

from xfcheck.accounting.cache import cache
from xfcheck.accounting.flops import forward
from xfcheck.accounting.run import Run
from xfcheck.ledger import expand, modules, total
from xfcheck.model import Model, understand
from xfcheck.problems import Refused

SIZES = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "vocab_size": 160,
}


def read(model_type: str, **keys: Any) -> Model:
    """A tiny config of that type."""
    return understand({"model_type": model_type, **SIZES, **keys}, None)  # type: ignore[arg-type]


def names(model: Model) -> set[str]:
    """Checkpoint names."""
    return {name for name, row in expand(model.rows) if row.stored}


@pytest.mark.parametrize(
    ("model_type", "architecture", "prefix"),
    [
        ("llama", "LlamaForQuestionAnswering", "transformer."),
        ("mistral", "MistralForQuestionAnswering", "model."),
        ("ministral3", "Ministral3ForQuestionAnswering", "model."),
        ("qwen3", "Qwen3ForQuestionAnswering", "transformer."),
    ],
)
def test_answers_hold_the_bare_model_under_their_own_name(model_type: str, architecture: str, prefix: str) -> None:
    """`base_model_prefix` of the class; two rows and a bias whatever num_labels says."""
    model = read(model_type, architectures=[architecture], num_labels=7)
    assert f"{prefix}embed_tokens.weight" in names(model)
    shapes = {name: row.shape for name, row in expand(model.rows)}
    assert shapes["qa_outputs.weight"] == (2, 64)
    assert shapes["qa_outputs.bias"] == (2,)


def test_token_classifier_has_a_bias_and_sequence_classifier_has_none() -> None:
    """GenericForTokenClassification and GenericForSequenceClassification (modeling_layers.py)."""
    assert "score.bias" in names(read("llama", architectures=["LlamaForTokenClassification"]))
    assert "score.bias" not in names(read("llama", architectures=["LlamaForSequenceClassification"]))


def test_mistral_with_layer_types_is_ministral_and_needs_a_head_dim() -> None:
    """AutoConfig re-types it; MinistralConfig leaves head_dim null, which does not build."""
    with pytest.raises(Refused) as caught:
        read("mistral", layer_types=["full_attention", "sliding_attention"])
    assert caught.value.code == "XF101"
    model = read(
        "mistral", layer_types=["full_attention", "sliding_attention"], head_dim=16, sliding_window=8, architectures=["MistralForCausalLM"]
    )
    # keys and values, 2 heads of 16 in float32: 16 tokens of the full layer, 7 of the sliding one
    assert cache(model.architecture, batch=1, context=16, source=0, dtype="float32", engine="transformers")["bytes"] == 2 * 2 * 16 * 4 * (
        16 + 7
    )


def test_undeclared_window_truncates_the_cache_of_single_layers() -> None:
    """DynamicCache obeys `layer_types` and `sliding_window` of any config; Llama's masks do not."""
    model = read("llama", layer_types=["full_attention", "sliding_attention"], sliding_window=6)
    kept = cache(model.architecture, batch=1, context=16, source=0, dtype="float32", engine="transformers")
    assert sorted((group["count"], group["tokens"]) for group in kept["layers"]) == [(1, 5), (1, 16)]
    assert {block.sublayers[0].mixers[0].mask.kind for block in model.architecture.main.blocks} == {"causal"}


def test_cohere_normalises_heads_with_one_tensor_and_stablelm_with_one_a_head() -> None:
    """use_qk_norm: [heads, head_dim]. qk_layernorm: a module list."""
    cohere = {name: row.shape for name, row in expand(read("cohere", use_qk_norm=True).rows)}
    assert cohere["model.layers.1.self_attn.q_norm.weight"] == (4, 16)
    assert cohere["model.layers.1.self_attn.k_norm.weight"] == (2, 16)
    stable = {name: row.shape for name, row in expand(read("stablelm", qk_layernorm=True).rows)}
    assert stable["model.layers.1.self_attn.q_layernorm.norms.3.weight"] == (16,)
    assert "model.layers.1.self_attn.k_layernorm.norms.2.weight" not in stable


def test_xielu_has_two_parameters_and_two_buffers_a_layer() -> None:
    """XIELUActivation: alpha_p and alpha_n of shape [1], beta and eps scalars."""
    rows = dict(expand(read("apertus").rows))
    kinds = {part: rows[f"model.layers.0.mlp.act_fn.{part}"] for part in ("alpha_p", "alpha_n", "beta", "eps")}
    assert [(row.shape, row.kind) for row in kinds.values()] == [((1,), "parameter"), ((1,), "parameter"), ((), "buffer"), ((), "buffer")]


def test_differential_attention_runs_twice() -> None:
    """Two calls over all heads: 2 * 2 products * 2 FLOPs * 16 * 16 pairs * 4 heads * 16 dimensions * 2 layers."""
    model = read("diffllama", head_dim=16)
    assert forward(model.architecture, model.rows, Run(1, 16))["attention_full"] == 2 * 2 * 2 * 16 * 16 * 4 * 16 * 2


def test_one_tensor_of_a_checkpoint_is_several_modules() -> None:
    """hrm_text stores gate, query, key and value as one matrix; transformers builds four, and L_cycles runs of the low stack."""
    model = read("hrm_text", head_dim=16, H_cycles=2, L_cycles=3)
    stored = {name: row.shape for name, row in expand(model.rows)}
    built = {name: row.shape for name, row in expand(modules(model.rows))}
    assert stored["model.L_module.layers.0.attn.gqkv_proj.weight"] == (256, 64)
    assert built["model.L_module.layers.0.self_attn.gate_proj.weight"] == (64, 64)
    assert built["model.H_module.layers.1.mlp.up_proj.weight"] == (96, 64)
    assert total(model.rows) == total(modules(model.rows))
    # 2 layers of each stack: 6 applications of the low one, 2 of the high one, keys and values of 4 heads of 16 in float32
    assert (
        cache(model.architecture, batch=1, context=16, source=0, dtype="float32", engine="transformers")["bytes"]
        == 2 * (6 + 2) * 2 * 4 * 16 * 16 * 4
    )


def test_looped_layers_share_weights_and_keep_caches_by_mode() -> None:
    """dory: one input layer, two recurrent ones three times, one output layer."""
    plan = {
        "num_hidden_layers": 4,
        "n_input_layers": 1,
        "n_output_layers": 1,
        "n_recurrent_layers": 2,
        "n_recurrent_loops": 3,
        "head_dim": 16,
    }
    kinds = ["full_attention"] * 4
    once = cache(
        read("dory", layer_types=kinds, recurrent_kv_cache_mode="last_loop", **plan).architecture,
        batch=1,
        context=8,
        source=0,
        dtype="float32",
    )
    each = cache(read("dory", layer_types=kinds, **plan).architecture, batch=1, context=8, source=0, dtype="float32")
    assert once["bytes"] == 4 * 2 * 2 * 16 * 8 * 4
    assert each["bytes"] == (2 + 2 * 3) * 2 * 2 * 16 * 8 * 4


@pytest.mark.parametrize(
    ("model_type", "keys"),
    [("hunyuan_v1_dense", {}), ("ministral", {}), ("nemotron", {"num_key_value_heads": None}), ("llama", {"num_attention_heads": 3})],
)
def test_configs_that_do_not_build_are_refused(model_type: str, keys: dict[str, Any]) -> None:
    """The class makes no head_dim (or no key-value heads, or no whole head) of what is written."""
    with pytest.raises(Refused):
        read(model_type, **keys)
