"""Five thousand damaged configs: findings and error objects, never a traceback, never a number that is no number."""

from __future__ import annotations

import copy
import json
import random
from typing import TYPE_CHECKING, Any

from xfcheck.accounting.budget import Options, budget
from xfcheck.documents.folder import ModelFolder
from xfcheck.documents.read import read_document
from xfcheck.families._classes import class_table
from xfcheck.families._index import index
from xfcheck.model import load
from xfcheck.problems import Refused
from xfcheck.rules._engine import lint
from xfcheck.rules._selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 5000
BASES: list[dict[str, Any]] = [
    {
        "model_type": "llama",
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 96,
        "vocab_size": 160,
        "rope_theta": 10000.0,
        "rope_scaling": {"rope_type": "linear", "factor": 2.0},
        "max_position_embeddings": 64,
        "torch_dtype": "bfloat16",
        "tie_word_embeddings": True,
    },
    {
        "model_type": "deepseek_v3",
        "hidden_size": 64,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "intermediate_size": 96,
        "vocab_size": 160,
        "kv_lora_rank": 20,
        "q_lora_rank": 24,
        "qk_nope_head_dim": 12,
        "qk_rope_head_dim": 8,
        "v_head_dim": 10,
        "n_routed_experts": 8,
        "n_group": 2,
        "topk_group": 1,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 24,
        "first_k_dense_replace": 1,
    },
    {
        "model_type": "jamba",
        "hidden_size": 64,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "intermediate_size": 96,
        "vocab_size": 160,
        "attn_layer_period": 2,
        "attn_layer_offset": 1,
        "expert_layer_period": 2,
        "expert_layer_offset": 1,
        "mamba_d_state": 8,
        "num_experts": 8,
    },
    {
        "model_type": "t5",
        "d_model": 64,
        "d_kv": 12,
        "d_ff": 96,
        "num_layers": 3,
        "num_heads": 4,
        "vocab_size": 160,
        "feed_forward_proj": "gated-gelu",
    },
    {
        "model_type": "gemma2",
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "intermediate_size": 96,
        "vocab_size": 160,
        "sliding_window": 8,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
    },
]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    7,
    10**6,
    10**18,
    0.5,
    -2.5,
    1e300,
    float("inf"),
    "",
    "64",
    "auto",
    "\x1b[31m",
    "x" * 200,
    [],
    [None],
    ["full_attention"] * 3,
    [1, 2],
    {},
    {"rope_type": "yarn"},
    {"a": {"b": []}},
    [[[[]]]],
    "🦙",
    {"__float__": "Infinity"},
]


def mutated(source: random.Random) -> Iterator[dict[str, Any]]:
    """Configs with one to four keys set, taken away, renamed or nested anew, of every family."""
    types = sorted(index())
    for i in range(COUNT):
        config = copy.deepcopy(source.choice(BASES)) if i % 2 else {"model_type": types[i // 2 % len(types)]}
        table = class_table(config["model_type"])
        declared = sorted(table.fields) if table is not None else []
        for _ in range(source.randint(1, 4)):
            key = source.choice([*config, *declared] or ["model_type"])
            action = source.random()
            if action < 0.65:
                config[key] = copy.deepcopy(source.choice(VALUES))
            elif action < 0.8:
                config.pop(key, None)
            elif action < 0.9 and key in config:
                config[key[:-1]] = config.pop(key)
            else:
                config = {"model_type": config.get("model_type"), "text_config": config}
        yield config


def folder_of(config: dict[str, Any]) -> ModelFolder:
    """The config as if read from standard input."""
    return ModelFolder("-", None, read_document("config.json", text=json.dumps(config)))


def test_lint_and_budget_answer_five_thousand_damaged_configs() -> None:
    answered = refused = 0
    for config in mutated(random.Random(20260101)):
        folder = folder_of(config)
        if folder.config is None or not isinstance(folder.config.data, dict):
            continue
        report = lint(folder, Selection(extend=("ALL",)))
        assert not report.crashed, (config, [f.message for f in report.findings if f.code == "XF900"])
        refusal = None
        try:
            found = budget(load(folder), Options(context=32))
        except Refused as why:
            refusal = why
        if refusal is not None:
            refused += 1
            assert refusal.message
            assert any(f.severity == "error" for f in report.findings), (config, refusal.message)
            continue
        answered += 1
        json.dumps(found, allow_nan=False)
        parts = found["parameters"]
        assert parts["total"] == sum(parts["by_component"].values()) >= 0, config
        assert found["cache"]["bytes"] == sum(layer["bytes"] for layer in found["cache"]["layers"]) >= 0, config
    assert answered > 500
    assert refused > 500
