"""Laws that hold for any valid config: identities of the budget, and how the numbers grow."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xfcheck.accounting.budget import Options, budget
from xfcheck.documents.folder import ModelFolder
from xfcheck.families._index import index
from xfcheck.ledger import COMPONENTS, modules
from xfcheck.model import Model, understand
from xfcheck.problems import Refused

TYPES = sorted(index())
DEEP = {
    "llama": "num_hidden_layers",
    "gemma2": "num_hidden_layers",
    "qwen3_moe": "num_hidden_layers",
    "mixtral": "num_hidden_layers",
    "jamba": "num_hidden_layers",
    "deepseek_v3": "num_hidden_layers",
    "gpt2": "n_layer",
    "bert": "num_hidden_layers",
    "t5": "num_layers",
    "mamba2": "num_hidden_layers",
}
"""Type -> the key of its depth."""

sizes = st.fixed_dictionaries(
    {
        "hidden_size": st.integers(1, 12).map(lambda n: 24 * n),
        "num_hidden_layers": st.integers(1, 12),
        "intermediate_size": st.integers(1, 300),
        "vocab_size": st.integers(8, 500),
        "num_attention_heads": st.sampled_from([1, 2, 3, 4, 6, 12]),
        "tie_word_embeddings": st.booleans(),
    }
)
ways = st.fixed_dictionaries({"batch": st.integers(1, 4), "context": st.integers(1, 80)})


def read(data: dict[str, Any]) -> Model:
    return understand(data, ModelFolder("memory", None, None))


def answer(
    data: dict[str, Any], *, batch: int = 1, context: int = 16, engine: str = "logical", source: int | None = None
) -> dict[str, Any]:
    return budget(read(data), Options(batch=batch, context=context, engine=engine, dtype="fp32", source=source))


def decoder(model_type: str, given: dict[str, Any]) -> dict[str, Any]:
    """A config of these sizes whose heads divide."""
    heads = given["num_attention_heads"]
    return {
        "model_type": model_type,
        **given,
        "num_key_value_heads": heads if heads % 2 else heads // 2,
        "head_dim": given["hidden_size"] // heads,
    }


def identities(b: dict[str, Any]) -> None:
    """What every budget of contract holds, whatever the config."""
    p, a, c = b["parameters"], b["parameters"]["active"], b["cache"]
    assert set(p["by_component"]) == set(COMPONENTS)
    assert sum(p["by_component"].values()) == p["total"]
    assert p["total"] >= a["total"] >= a["without_input_embedding"] >= a["without_embeddings"] >= 0
    assert 0 <= p["total"] - p["embedding"] - p["non_embedding"] <= p["by_component"]["head"]
    for run in (b["flops"]["prefill"], b["flops"]["decode"]):
        if run is not None:
            assert 0 <= run["attention_visible"] <= run["attention_full"]
            assert run["total_full"] == run["matmul"] + run["attention_full"] + run["scan"]
            assert run["total_visible"] == run["matmul"] + run["attention_visible"] + run["scan"]
    assert c["bytes"] == c["constant_bytes"] + c["bytes_per_token"] * c["context"]
    assert c["bytes"] == sum(layer["bytes"] for layer in c["layers"])
    assert c["bytes"] <= c["full_reservation_bytes"]
    assert b["memory"]["cache_bytes"] == c["bytes"]
    assert not [v for v in integers(b) if v < 0]
    json.dumps(b, allow_nan=False)


def integers(value: Any) -> list[int]:
    """Every number in an answer."""
    if isinstance(value, dict):
        return [n for inner in value.values() for n in integers(inner)]
    if isinstance(value, list):
        return [n for inner in value for n in integers(inner)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("engine", ["logical", "transformers"])
def test_identities_of_class_defaults(model_type: str, engine: str) -> None:
    """A config that says nothing but its type: numbers that fit together, or a refusal with a rule's code."""
    try:
        b = answer({"model_type": model_type}, engine=engine, batch=3, context=100)
    except Refused as problem:
        code = problem.code
    else:
        b["assumptions"], code = [], "XF"
        identities(b)
    assert code.startswith("XF")


@given(st.sampled_from(["llama", "mistral", "qwen2", "qwen3", "gemma2", "mixtral"]), sizes, ways)
@settings(max_examples=60, deadline=None)
def test_identities_of_any_sizes(model_type: str, given_sizes: dict[str, Any], way: dict[str, int]) -> None:
    b = answer(decoder(model_type, given_sizes), **way)
    b["assumptions"] = []
    identities(b)


@given(st.sampled_from(["llama", "qwen3", "mixtral"]), sizes, st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_linear_in_layers(model_type: str, given_sizes: dict[str, Any], more: int) -> None:
    """Each layer of one kind adds the same to every number."""
    first, second, third = (
        answer({**decoder(model_type, given_sizes), "num_hidden_layers": given_sizes["num_hidden_layers"] + step})
        for step in (0, more, 2 * more)
    )
    for path in (("parameters", "total"), ("flops", "prefill", "total_full"), ("flops", "decode", "total_visible"), ("cache", "bytes")):
        a, b, c = (at(x, path) for x in (first, second, third))
        assert c - b == b - a > 0, path


def at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


@given(st.sampled_from(["llama", "gemma2", "mamba2", "deepseek_v3", "t5", "jamba"]), st.integers(1, 60), st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_monotone_in_tokens(model_type: str, tokens: int, more: int) -> None:
    """More tokens never cost less, and parameters do not depend on them."""
    fewer, longer = (answer({"model_type": model_type}, context=n) for n in (tokens, tokens + more))
    assert fewer["parameters"] == longer["parameters"]
    for path in (
        ("flops", "prefill", "total_full"),
        ("flops", "prefill", "total_visible"),
        ("flops", "decode", "total_full"),
        ("cache", "bytes"),
    ):
        assert at(fewer, path) <= at(longer, path), path


@given(st.sampled_from(["llama", "gemma2", "mixtral", "t5", "mamba2"]), st.integers(1, 6), st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_linear_in_the_batch(model_type: str, batch: int, context: int) -> None:
    one, many = (answer({"model_type": model_type}, batch=n, context=context) for n in (1, batch))
    for path in (("flops", "prefill", "total_full"), ("flops", "decode", "total_full"), ("cache", "bytes"), ("memory", "logits_bytes")):
        assert at(many, path) == batch * at(one, path), path


@given(st.integers(1, 40), st.integers(0, 60))
@settings(max_examples=30, deadline=None)
def test_the_cache_is_constant_past_the_window(window: int, beyond: int) -> None:
    """Mistral slides in every layer: W tokens in the terms of mathematics, W - 1 in those of transformers (W = 1 keeps all there)."""
    data = {
        "model_type": "mistral",
        "hidden_size": 48,
        "num_hidden_layers": 3,
        "num_attention_heads": 6,
        "num_key_value_heads": 3,
        "sliding_window": window,
    }
    token = 3 * 2 * 3 * 8 * 4
    assert answer(data, context=window + beyond)["cache"]["bytes"] == window * token
    kept = window - 1 if window > 1 else window + beyond
    assert answer(data, context=window + beyond, engine="transformers")["cache"]["bytes"] == kept * token
    assert answer(data, context=window)["cache"]["constant_bytes"] == 0


def test_a_recurrent_state_has_no_length() -> None:
    """Mamba-2 alone: the same state after one token and after a thousand, nothing a token."""
    short, long = (answer({"model_type": "mamba2"}, context=n)["cache"] for n in (1, 1000))
    assert short["bytes"] == long["bytes"] == long["constant_bytes"] > 0
    assert long["bytes_per_token"] == 0


@given(st.sampled_from(["llama", "qwen2", "mistral"]), sizes)
@settings(max_examples=30, deadline=None)
def test_as_many_kv_heads_as_heads_is_multi_head_attention(model_type: str, given_sizes: dict[str, Any]) -> None:
    """Key and value of H heads of h: parameters 4 H h d + biases a layer, cache 2 H h a token; each KV head less saves 2 h d and 2 h."""
    heads, hidden = given_sizes["num_attention_heads"], given_sizes["hidden_size"]
    width, layers = hidden // heads, given_sizes["num_hidden_layers"]
    data = decoder(model_type, given_sizes)
    full, one = (answer({**data, "num_key_value_heads": n}, context=8) for n in (heads, 1))
    biases = 2 * width if model_type == "qwen2" else 0
    assert full["parameters"]["total"] - one["parameters"]["total"] == layers * (heads - 1) * (2 * width * hidden + biases)
    assert full["cache"]["bytes"] == 8 * 4 * layers * 2 * heads * width == heads * one["cache"]["bytes"]
    assert full["flops"]["prefill"]["attention_full"] == one["flops"]["prefill"]["attention_full"] == layers * 4 * heads * width * 64
    if model_type == "llama":
        absent = answer({k: v for k, v in data.items() if k != "num_key_value_heads"}, context=8)
        assert absent["parameters"] == full["parameters"]


@given(sizes)
@settings(max_examples=30, deadline=None)
def test_tying_saves_one_table_and_no_flop(given_sizes: dict[str, Any]) -> None:
    tied, untied = (answer({**decoder("llama", given_sizes), "tie_word_embeddings": flag}) for flag in (True, False))
    table = given_sizes["vocab_size"] * given_sizes["hidden_size"]
    assert untied["parameters"]["total"] - tied["parameters"]["total"] == table
    assert untied["flops"] == tied["flops"]
    assert untied["parameters"]["non_embedding"] == tied["parameters"]["non_embedding"]


def test_llama_written_out() -> None:
    """V d + L (2 d + 2 H h d + 2 K h d + 3 d f) + d + V d, and 2 FLOPs a multiply-add, with other numbers than anything computes."""
    v, d, layers, heads, kv, h, f, n = 100, 48, 3, 6, 2, 10, 70, 9
    data = {
        "model_type": "llama",
        "vocab_size": v,
        "hidden_size": d,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "head_dim": h,
        "intermediate_size": f,
    }
    matrices = layers * (2 * heads * h * d + 2 * kv * h * d + 3 * d * f) + v * d
    b = answer(data, context=n, batch=2)
    assert b["parameters"]["total"] == v * d + matrices + layers * 2 * d + d
    assert b["flops"]["prefill"]["matmul"] == 2 * 2 * n * matrices
    assert b["flops"]["prefill"]["attention_full"] == 2 * layers * 2 * 2 * heads * h * n * n
    assert b["flops"]["prefill"]["attention_visible"] == 2 * layers * 2 * 2 * heads * h * n * (n + 1) // 2
    assert b["flops"]["decode"]["attention_full"] == 2 * layers * 2 * 2 * heads * h * (n + 1)
    assert b["cache"]["bytes"] == 2 * layers * 2 * kv * h * n * 4


@pytest.mark.parametrize("model_type", TYPES)
def test_fusing_keeps_the_elements(model_type: str) -> None:
    """The names of modules and of checkpoints hold the same elements."""
    try:
        rows = read({"model_type": model_type}).rows
    except Refused:
        return
    loaded = [row for row in rows if row.kind != "not_loaded" and row.tied_to is None]
    assert sum(row.elements for row in modules(rows) if row.tied_to is None) == sum(row.elements for row in loaded)


@pytest.mark.parametrize(("model_type", "key"), DEEP.items())
def test_ten_thousand_layers_are_as_many_rows(model_type: str, key: str) -> None:
    few, many = (read({"model_type": model_type, key: depth}) for depth in (12, 10_000))
    assert len(few.rows) == len(many.rows)
    assert sum(len(s.blocks) for s in few.architecture.stacks) == sum(len(s.blocks) for s in many.architecture.stacks)
    if model_type != "jamba":  # two crossed periods list their layers
        assert sum(len(row.layers.ranges) for row in many.rows if row.layers) <= 4 * sum(
            len(row.layers.ranges) for row in few.rows if row.layers
        )


@pytest.mark.parametrize(
    ("model_type", "key"), [("mixtral", "num_local_experts"), ("deepseek_v3", "n_routed_experts"), ("qwen3_moe", "num_experts")]
)
def test_a_hundred_thousand_experts_are_as_many_rows(model_type: str, key: str) -> None:
    few, many = (read({"model_type": model_type, key: count}) for count in (16, 100_000))
    assert len(few.rows) == len(many.rows)
