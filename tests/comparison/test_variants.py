"""Variations: what they cost by arithmetic, and that every cell is the budget of the varied config written out as a file."""

from __future__ import annotations

import json
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xfcheck.accounting.budget import Options, budget
from xfcheck.comparison.axes import variations
from xfcheck.comparison.compare import Comparison, variants
from xfcheck.comparison.draft import Draft
from xfcheck.comparison.parts import resized
from xfcheck.comparison.validity import errors
from xfcheck.comparison.variants import cost, varied
from xfcheck.comparison.written import write_draft
from xfcheck.documents.folder import open_model
from xfcheck.model import load
from xfcheck.problems import Refused, Usage

SAMPLES = Path(__file__).parents[2] / "sample_configs"
CHAPTER: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 512, "num_hidden_layers": 6, "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "intermediate_size": 2048, "vocab_size": 32000, "max_position_embeddings": 2048, "torch_dtype": "bfloat16", "tie_word_embeddings": True,
}  # fmt: skip
LLAMA_8B = str(SAMPLES / "llama-3-8b")


def base(path: str, **options: Any) -> Draft:
    """A config to be varied."""
    return Draft(load(open_model(path)), Options(**options))


def laid(folder: Path, config: dict[str, Any]) -> str:
    """The path of a config written into a folder."""
    path = folder / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return str(path)


def compared(path: str, *flags: str, keep: str | None = None, **options: Any) -> Comparison:
    """The comparison of a config's variants."""
    return variants(base(path, **options), variations(list(flags)), keep=keep)


def budgets(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """name -> budget of what was not refused."""
    return {e.name: e.budget for e in comparison.entries if e.draft is not None}


def refusal(comparison: Comparison, name: str) -> str:
    """The code with which a variant was refused."""
    return str(next(e for e in comparison.entries if e.name == name).error["code"])


@pytest.mark.parametrize(("d", "layers", "heads", "width", "which"), [(512, 6, 8, 64, "chapter"), (4096, 32, 32, 128, "llama")])
def test_attention_has_the_parameters_and_the_cache_of_the_formula(
    d: int, layers: int, heads: int, width: int, which: str, tmp_path: Path
) -> None:
    """P_attn = 2 d H_q d_h + 2 d H_kv d_h a layer; the cache's ratio to MHA is H_kv / H_q."""
    path = laid(tmp_path, CHAPTER) if which == "chapter" else LLAMA_8B
    wanted = {"mha": heads, "gqa:4": 4, "gqa:2": 2, "mqa": 1}
    found = budgets(compared(path, "attention=mha,gqa:4,gqa:2,mqa", context=1024))
    assert list(found) == list(wanted)
    for name, groups in wanted.items():
        assert found[name]["parameters"]["by_component"]["attention"] == layers * (2 * d * heads * width + 2 * d * groups * width)
        assert Fraction(found[name]["cache"]["bytes"], found["mha"]["cache"]["bytes"]) == Fraction(groups, heads)
        assert found[name]["cache"]["bytes"] == layers * 1024 * 2 * groups * width * 2
        assert found[name]["fidelity"] == "exact", "the config's own key says it"


def test_latent_attention_by_arithmetic(tmp_path: Path) -> None:
    """Nope and value widths are head_dim, no query rank (arXiv 2405.04434, section 2.1)."""
    d, heads, width, rank, rope, layers = 512, 8, 64, 128, 32, 6
    found = budgets(compared(laid(tmp_path, CHAPTER), "attention=mha,mla:128+32", context=100))["mla:128+32"]
    each = d * heads * (width + rope) + d * (rank + rope) + rank * heads * 2 * width + heads * width * d
    assert found["parameters"]["by_component"]["attention"] == layers * each
    assert found["cache"]["bytes"] == layers * 100 * (rank + rope) * 2
    assert found["fidelity"] == "estimated", "no reference holds this design"


def test_mla_without_widths_is_512_and_64() -> None:
    found = budgets(compared(LLAMA_8B, "attention=mla,mla:512+64", context=64))
    assert found["mla"]["parameters"] == found["mla:512+64"]["parameters"]
    assert found["mla"]["cache"]["bytes"] == 32 * 64 * (512 + 64) * 2


def test_a_class_with_latent_attention_says_it_by_its_keys() -> None:
    draft = base(str(SAMPLES / "deepseek-v3"))
    made = varied(draft, variations(["attention=mla:256+32"])[0], set())
    assert not made.native
    assert (made.data["kv_lora_rank"], made.data["qk_rope_head_dim"]) == (256, 32)
    assert varied(draft, variations(["attention=mha"])[0], set()).native


def test_window_where_the_class_has_one_and_where_it_has_none() -> None:
    mistral = varied(base(str(SAMPLES / "mistral-7b-v0.1")), variations(["window=1024"])[0], set())
    assert mistral.data["sliding_window"] == 1024
    llama = varied(base(LLAMA_8B), variations(["window=1024"])[0], set())
    assert llama.native, "llama has no window: no key of its config means one"
    assert cost(llama)["cache"]["bytes"] == 32 * 1024 * 2 * 8 * 128 * 2
    qwen = varied(base(str(SAMPLES / "qwen2.5-7b")), variations(["window=1024"])[0], set())
    assert not qwen.native
    assert qwen.data["use_sliding_window"] is True
    assert all(layer["tokens"] == 1024 for layer in cost(qwen)["cache"]["layers"])


def test_depth_takes_the_lists_of_the_config_along(tmp_path: Path) -> None:
    kinds = ["sliding_attention", "full_attention"] * 2
    config = {
        "model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 96, "sliding_window": 8, "layer_types": kinds,
    }  # fmt: skip
    made = varied(base(laid(tmp_path, config)), variations(["layers=6"])[0], set())
    assert made.data["layer_types"] == [*kinds, "sliding_attention", "full_attention"]
    assert made.data["num_hidden_layers"] == 6


@pytest.mark.parametrize(
    ("values", "length", "wanted"),
    [
        ("aab", 2, "aa"),
        ("abab", 7, "abababa"),
        ("dddss", 7, "dddssss"),
        ("aaa", 5, "aaaaa"),
        ("aabaab", 8, "aabaabaa"),
        ("a", 3, "aaa"),
        ("abc", 5, None),
    ],
)
def test_a_list_of_layers_goes_on_as_it_did(values: str, length: int, wanted: str | None) -> None:
    assert resized(list(values), length) == (None if wanted is None else list(wanted))


@pytest.mark.parametrize(
    ("path", "flag", "code"),
    [
        ("llama-3-8b", "attention=gqa:7", "XF104"),
        ("llama-3-8b", "attention=gqa:64", "XF105"),
        ("llama-3-8b", "attention=gqa:0", "XF117"),
        ("llama-3-8b", "attention=mla:512+63", "XF111"),
        ("llama-3-8b", "hidden=1000", "XF102"),
        ("llama-3-8b", "layers=0", "XF117"),
        ("llama-3-8b", "window=0", "XF117"),
        ("gpt2", "attention=gqa:8", "XF104"),
        ("gpt2", "attention=gqa:24", "XF105"),
        ("mixtral-8x7b-v0.1", "experts=4:6", "XF501"),
        ("llama-3-8b", "experts=4:6", "XF501"),
        ("llama-3-8b", "mlp.intermediate_size=-3", "XF117"),
        ("mamba2-130m", "attention=mha", "usage"),
    ],
)  # fmt: skip
def test_what_is_no_architecture_is_refused_with_its_rule(path: str, flag: str, code: str) -> None:
    comparison = compared(str(SAMPLES / path), flag)
    assert [e.error["code"] for e in comparison.entries] == [code]


def test_the_faults_of_the_file_are_not_the_variation_s(tmp_path: Path) -> None:
    broken = {**CHAPTER, "num_key_value_heads": 3}
    found = compared(laid(tmp_path, broken), "vocab=64,128", "attention=mha,gqa:4,gqa:5")
    assert refusal(found, "vocab=64, gqa:5") == "XF104"
    assert len(budgets(found)) == 4


@pytest.mark.parametrize(
    "flag",
    [
        "attention",
        "attention=",
        "=mha",
        "attention=gqa",
        "attention=mla:512",
        "attention=gqb:8",
        "experts=x",
        "layers=many",
        "context=0",
        "nothing=1",
    ],
)
def test_what_means_nothing_is_usage(flag: str) -> None:
    with pytest.raises(Usage):
        compared(LLAMA_8B, flag)


def test_the_gated_network_of_8d_over_3(tmp_path: Path) -> None:
    """Three matrices of 8 d / 3 hold what two of 4 d hold, to the nearest whole width."""
    config = {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "n_embd": 768,
        "n_layer": 2,
        "n_head": 12,
        "vocab_size": 100,
        "n_positions": 64,
    }
    path = laid(tmp_path, config)
    written = budget(load(open_model(path)), Options())["parameters"]["total"]
    made = compared(path, "mlp.gated=true", keep="parameters").entries[0]
    assert made.draft is not None
    assert made.draft.settled == (("d_ff", 2048),), "8 * 768 / 3"
    # a second bias of d_ff, less one d_ff of biases than 4 d had: 2 * 2048 - 3072 a layer
    assert made.budget["parameters"]["total"] - written == 2 * (2 * 2048 - 3072)


def test_keep_parameters_solves_for_the_nearest_width() -> None:
    """MQA frees 2 * d * 7 * d_h a layer; a unit of d_ff costs 3 * d: 14336 + 2 * 7 * 128 / 3 = 14933.3."""
    made = compared(LLAMA_8B, "attention=mqa", keep="parameters").entries[0]
    assert made.draft is not None
    assert made.draft.settled == (("d_ff", 14933),)
    assert made.draft.data["intermediate_size"] == 14933
    rounded = variants(base(LLAMA_8B), variations(["attention=mqa"]), keep="parameters", multiple=256).entries[0]
    assert rounded.draft is not None
    assert rounded.draft.settled == (("d_ff", 14848),), "58 * 256 is nearer than 59 * 256"


def test_keep_flops() -> None:
    comparison = compared(LLAMA_8B, "attention=mqa,mha", keep="flops", context=2048)
    target, unit = comparison.baseline.budget["flops"]["prefill"]["total_visible"], 3 * 2 * 4096 * 2048 * 32
    for each in comparison.entries:
        assert abs(each.budget["flops"]["prefill"]["total_visible"] - target) * 2 <= unit


def test_nothing_left_to_exchange() -> None:
    found = compared(LLAMA_8B, "layers=640", keep="parameters")
    assert refusal(found, "layers=640") == "XF117"


def test_the_baseline_is_the_first_and_one_variant_is_compared_with_the_file() -> None:
    assert compared(LLAMA_8B, "attention=mha,mqa").baseline.name == "mha"
    single = compared(LLAMA_8B, "attention=mqa")
    assert single.baseline.name == "as written"
    assert single.baseline.budget == budget(load(open_model(LLAMA_8B)), Options())


def test_products() -> None:
    found = compared(LLAMA_8B, "attention=mha,mqa", "context=1024,2048")
    assert [e.name for e in found.entries] == ["mha, context=1024", "mha, context=2048", "mqa, context=1024", "mqa, context=2048"]
    assert found.entries[3].budget["cache"]["context"] == 2048


def test_crossovers_by_arithmetic() -> None:
    """Llama 3 8B: 2 * 32 * 8 * 128 * 2 bytes a token; n (n + 1) / 2 visible pairs of 4 * 4096 FLOPs, an MLP of 6 * 4096 * 14336 a token."""
    made = compared(LLAMA_8B, "attention=gqa:8").entries[0].more["crossovers"]
    weights = 2 * 8_030_261_248
    assert made["cache_passes_weights_tokens"] == -(-weights // (2 * 32 * 8 * 128 * 2))
    assert made["attention_passes_mlp_prefill_tokens"] == 2 * (6 * 4096 * 14336) // (4 * 4096) - 1
    assert made["attention_passes_mlp_decode_tokens"] == (6 * 4096 * 14336) // (4 * 4096) - 1
    windowed = compared(LLAMA_8B, "window=1024").entries[0].more["crossovers"]
    assert set(windowed.values()) == {None}, "a full window grows no more"


@pytest.mark.parametrize(
    "name", ["llama-3-8b", "gpt2", "t5-base", "jamba-v0.1", "gemma-2-2b", "mixtral-8x7b-v0.1", "deepseek-v3", "bert-base-uncased"]
)
def test_a_description_costs_what_the_config_costs(name: str, tmp_path: Path) -> None:
    """The architecture alone, written and read again, has every number of the config that it came from."""
    draft = base(str(SAMPLES / name), context=512)
    written = open_model(write_draft(draft.with_architecture(draft.model.architecture), tmp_path))
    assert numbers(budget(load(written), Options(context=512))) == numbers(cost(draft))


def numbers(spent: dict[str, Any]) -> dict[str, Any]:
    """The parts of a budget that do not name its source."""
    return {key: spent[key] for key in ("parameters", "flops", "cache", "storage", "memory", "moe", "crossovers")}


CONFIGS = [
    "llama-3-8b", "mistral-7b-v0.1", "gpt2", "qwen2.5-7b", "gemma-2-2b", "mixtral-8x7b-v0.1", "qwen3-4b", "jamba-v0.1", "deepseek-v3",
    "t5-base", "designs/hybrid.yaml",
]  # fmt: skip
AXES = {
    "attention": st.sampled_from(["mha", "gqa:2", "gqa:4", "gqa:8", "mqa", "mla", "mla:128+32", "gqa:7"]),
    "window": st.sampled_from(["none", "128", "4096"]),
    "layers": st.integers(1, 70).map(str),
    "hidden": st.sampled_from(["768", "1024", "4096", "1000"]),
    "d_ff": st.integers(1, 20000).map(str),
    "experts": st.sampled_from(["8:2", "64:6", "16", "4:8"]),
    "vocab": st.integers(1, 300000).map(str),
    "context": st.integers(1, 100000).map(str),
    "batch": st.integers(1, 64).map(str),
    "dtype": st.sampled_from(["bf16", "fp32", "fp8"]),
    "tie_word_embeddings": st.sampled_from(["true", "false"]),
    "mlp.gated": st.sampled_from(["true", "false"]),
}  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    name=st.sampled_from(CONFIGS),
    edits=st.lists(st.sampled_from(sorted(AXES)), min_size=1, max_size=3, unique=True).flatmap(
        lambda keys: st.tuples(*(AXES[key].map(lambda value, key=key: f"{key}={value}") for key in keys))  # type: ignore[misc]
    ),
    keep=st.sampled_from([None, None, "parameters", "flops"]),
)
def test_every_cell_is_the_budget_of_the_config_written_out(name: str, edits: tuple[str, ...], keep: str | None) -> None:
    path = str(SAMPLES / name)
    draft = base(path)
    known = errors(draft.model.folder, draft.model.architecture)
    try:
        made = varied(draft, variations(list(edits))[0], known, keep)
    except (Refused, Usage):
        return
    with tempfile.TemporaryDirectory() as folder:
        read = open_model(write_draft(made, Path(folder)))
        assert budget(load(read), made.options) == cost(made)
    if keep is None and not any(edit.startswith(("tie", "context", "batch", "dtype")) for edit in edits):
        again = varied(made, variations(list(edits))[0], known)
        assert cost(again)["parameters"] == cost(made)["parameters"], "a variation that was made changes nothing"
