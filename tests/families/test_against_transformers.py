"""Every model type that a family reads, held to transformers on tiny configs: tensors, active parameters, FLOPs and cache.

The default run takes each type's base config whole and a sample of its variants, the same in each run; `-m full` takes all of them.
`known_open.json` lists what is known to differ: type, part and reason. An entry that no longer differs fails.
"""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("transformers")
pytest.importorskip("torch")

from reference.built import facts, instance, loaded_config
from reference.differences import PARTS, compared, read
from reference.executed import executed
from reference.proof import REFERENCE, Proof, prove, sample
from reference.reached import active
from reference.tiny import heads, sizes, tiny
from reference.variants import sampled, variants

from xfcheck.families._classes import known_types

FAMILIES = Path(__file__).resolve().parents[2] / "xfcheck" / "families"
TYPES: list[str] = [t for t in sorted(json.loads((FAMILIES / "_index.json").read_text())) if t in known_types()]
VERIFIED = json.loads((FAMILIES / "_verified.json").read_text())
OPEN: list[dict[str, str]] = json.loads(Path(__file__).with_name("known_open.json").read_text())

BUILT, RUN = 3, 12
"""Of the variants, one in three is built in a default run, and one in twelve executed."""


@cache
def whole_proof(model_type: str) -> Proof:
    return prove(model_type)


def known(model_type: str) -> set[str]:
    return {entry["part"] for entry in OPEN if entry["type"] == model_type}


def unexpected(proof: Proof) -> list[str]:
    """The differences in parts that are not known to be open."""
    allowed = known(proof.model_type)
    kept = Proof(proof.model_type, {part: found for part, found in proof.found.items() if part not in allowed})
    return kept.lines()


@pytest.mark.parametrize("model_type", TYPES)
def test_sample(model_type: str) -> None:
    """Nothing differs but what is known to; and what `_verified.json` calls exact has facts, and none against it."""
    proof = sample(model_type, BUILT, RUN)
    lines = unexpected(proof)
    assert not lines, "\n".join(lines)
    parts = set(VERIFIED["types"].get(model_type, []))
    assert parts <= proof.checked, f"{model_type}: {sorted(parts - proof.checked)} have no facts: {proof.notes}"
    assert not parts & set(proof.found), (
        f"{model_type}: {sorted(parts & set(proof.found))} differ; scripts/prove_families.py --types {model_type}"
    )


@pytest.mark.full
@pytest.mark.parametrize("model_type", TYPES)
def test_whole(model_type: str) -> None:
    proof = whole_proof(model_type)
    lines = unexpected(proof)
    assert not lines, "\n".join(lines)
    assert VERIFIED["types"].get(model_type, []) == proof.proven


@pytest.mark.full
@pytest.mark.parametrize("entry", OPEN, ids=lambda e: f"{e['type']}-{e['part']}")
def test_known_open_is_open(entry: dict[str, str]) -> None:
    """An entry of the list that agrees with the reference must leave it."""
    assert entry["part"] in whole_proof(entry["type"]).found, f"{entry['type']} agrees in {entry['part']}: take it off the list"


def test_known_open_list() -> None:
    assert all(set(entry) == {"type", "part", "reason"} and entry["reason"] for entry in OPEN)
    assert all(entry["type"] in TYPES and entry["part"] in PARTS for entry in OPEN)
    assert len({(entry["type"], entry["part"]) for entry in OPEN}) == len(OPEN)


def test_verified_file() -> None:
    """Only types that are read, only known parts, nothing that is known to be open, and the installed reference."""
    import transformers

    assert VERIFIED["reference"] == REFERENCE == f"transformers {transformers.__version__}"
    assert set(VERIFIED["types"]) <= set(TYPES)
    for model_type, parts in VERIFIED["types"].items():
        assert parts, model_type
        assert [part for part in PARTS if part in parts] == parts, model_type
        assert not set(parts) & known(model_type), model_type


# ---- the means of the proof can fail


def test_a_wrong_number_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same reference against a ledger with one tensor changed, one missing and one too many."""

    from reference import differences

    def spoilt(data: dict[str, object]) -> object:
        model = read(data)
        first, second, *rest = model.rows
        model.rows = [first._replace(shape=(first.shape[0] + 1, *first.shape[1:])), second._replace(name="elsewhere.weight"), *rest]
        return model

    assert not compared(tiny("llama")).found
    monkeypatch.setattr(differences, "read", spoilt)
    found = compared(tiny("llama")).found
    assert set(found) == {"parameters", "active"}
    text = "\n".join(found["parameters"])
    assert "missing" in text
    assert "not there: elsewhere.weight" in text
    assert "of another shape" in text


@pytest.mark.parametrize("model_type", ["llama", "mixtral", "deepseek_v3", "gpt2", "t5", "bert", "jamba"])
def test_saved_names_are_those_of_a_real_save(model_type: str, tmp_path: Path) -> None:
    from safetensors import safe_open

    warnings.simplefilter("ignore")
    data = tiny(model_type)
    instance(data, device="cpu").save_pretrained(tmp_path)
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        written = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    assert facts(instance(data)).saved == written


@pytest.mark.parametrize("model_type", ["llama", "mixtral", "deepseek_v3", "gpt2", "t5", "bert", "jamba", "mamba2"])
def test_counter_agrees_with_torch(model_type: str) -> None:
    warnings.simplefilter("ignore")
    model = instance(tiny(model_type), device="cpu")
    mine, torchs = executed(model), executed(model, torch_counts=True)
    assert mine.prefill is not None
    assert (mine.prefill, mine.decode) == (torchs.prefill, torchs.decode)


def test_active_parameters_are_those_a_gradient_reaches() -> None:
    """Two of six experts of 3 * 48 * 24 parameters in each of four layers stay out of reach of a token, but for two a token meets."""
    data = tiny("qwen3_moe")
    model = instance(data, device="cpu")
    expert = 3 * data["hidden_size"] * data["moe_intermediate_size"]
    idle = data["num_hidden_layers"] * (data["num_experts"] - data["num_experts_per_tok"]) * expert
    assert active(model) == facts(instance(data)).unique - idle


def test_tiny_configs_keep_every_kind_of_layer() -> None:
    for model_type, key in (
        ("gemma3_text", "layer_types"),
        ("qwen3_next", "layer_types"),
        ("gpt_oss", "layer_types"),
        ("cohere2", "layer_types"),
    ):
        whole = loaded_config({"model_type": model_type, "architectures": [next(iter(heads(model_type)))]})
        small = loaded_config(tiny(model_type))
        assert set(getattr(small, key)) == set(getattr(whole, key)), model_type


def test_sizes_differ_from_one_another() -> None:
    """Two widths that are the same hide a swap."""
    keys = sizes()["keys"]
    widths = [
        "hidden_size",
        "intermediate_size",
        "moe_intermediate_size",
        "shared_expert_intermediate_size",
        "vocab_size",
        "head_dim",
        "q_lora_rank",
    ]
    widths += ["kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "max_position_embeddings"]
    assert len({keys[k] for k in widths}) == len(widths)
    assert keys["num_attention_heads"] * keys["head_dim"] != keys["hidden_size"]
    assert keys["num_key_value_heads"] not in (1, keys["num_attention_heads"])


def test_every_switch_is_a_variant() -> None:
    labels = {label for label, _ in variants("llama")}
    assert {"base", "attention_bias=true", "mlp_bias=true", "tie_word_embeddings=true", "head_dim=16", "num_key_value_heads=1"} <= labels
    assert {"num_key_value_heads=6", "num_key_value_heads absent", "LlamaForSequenceClassification", "every key written"} <= labels
    assert any("layer_types reversed" in label for label, _ in variants("gemma2"))


def test_the_sample_is_the_same_each_time() -> None:
    chosen = [label for label, _ in variants("llama") if sampled("llama", label, BUILT)]
    assert chosen == [label for label, _ in variants("llama") if sampled("llama", label, BUILT)]
    assert "base" in chosen
