"""No rule raises, whatever JSON value stands under whatever key."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xfcheck.documents.folder import open_model
from xfcheck.rules._engine import lint
from xfcheck.rules._facts import facts
from xfcheck.rules._names import OF
from xfcheck.rules._registry import index
from xfcheck.rules._selection import Selection

TEXT = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 96,
}
TYPES = ("llama", "deepseek_v3", "jamba", "qwen2", "qwen3_moe", "mixtral", "gpt2", "t5", "gemma2", "falcon", "bart", "dbrx", "nobody_knows")
NESTS = (
    "text_config",
    "quantization_config",
    "rope_scaling",
    "rope_parameters",
    "attn_config",
    "ffn_config",
    "vision_config",
    "llm_config",
)
RULES = {n for rule in index().values() for n in rule.needs if ":" not in n}
KEYS = sorted({*OF, *NESTS, *facts()["activation_keys"], *facts()["epsilons"], *RULES} - {"always"})

leaf = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 200),
    st.sampled_from([0, -1, 10**15, 10**400]),
    st.floats(),
    st.sampled_from(["", "64", "bf16", "silu", "yarn"]),
    st.text(max_size=4),
)
value = st.recursive(
    leaf,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4)),
    max_leaves=6,
)
CONFIGS = st.builds(
    lambda kind, extra: {"model_type": kind, **TEXT, **extra},
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from(KEYS), value, max_size=6),
)


def crashed(config: dict[str, Any], settings_text: str) -> list[str]:
    """Messages of the rules that raised."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(config))
        (Path(folder) / "xfcheck.yaml").write_text(settings_text)
        report = lint(open_model(folder), Selection(extend=("ALL",)))
    return [f"{f.message}: {f.help}" for f in report.findings if f.code == "XF900"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CONFIGS)
def test_values(config: dict[str, Any]) -> None:
    assert (
        crashed(
            config,
            "deploy: {tensor_parallel: 3, expert_parallel: 5, world_size: 4, engine: vllm}\n"
            "train: {capacity_factor: 0.5, batch: 2, sequence_length: 8}",
        )
        == []
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CONFIGS, st.sampled_from(NESTS))
def test_nested_values(config: dict[str, Any], key: str) -> None:
    assert (
        crashed(
            {"model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"], key: config, "tie_word_embeddings": True},
            "train: {precision: bf16}",
        )
        == []
    )
