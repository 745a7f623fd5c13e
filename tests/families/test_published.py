"""Every file of `published/`: configs as they lie beside checkpoints that transformers has no class for, and what their source counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.model import understand, verified
from xfcheck.problems import Refused

if TYPE_CHECKING:
    from xfcheck.model import Model

TOTALS = json.loads(Path(__file__).with_name("library_totals.json").read_text())
"""Models of transformers' own classes, and the parameters that the hub counts in their checkpoints, tied ones once."""

CASES = sorted(Path(__file__).with_name("published").glob("*.json"))


def read(config: dict[str, Any]) -> Model:
    """A config, understood."""
    return understand(config, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_total(path: Path) -> None:
    case = json.loads(path.read_text())
    model = read(case["config"])
    assert sum(row.elements for row in model.rows if row.counted) == case["parameters"]
    assert sum(row.elements for row in model.rows if row.kind == "buffer") == case["buffers"]
    assert model.fidelity_by["parameters"] == ("exact" if case["exact"] else "estimated")
    if model.model_type not in verified()["types"]:
        assert model.fidelity_by["flops"] == model.fidelity_by["cache"] == "estimated"
    assert len({(row.name, tuple(row.layers or ())) for row in model.rows}) == len(model.rows)


@pytest.mark.parametrize("case", TOTALS, ids=[case["model"] for case in TOTALS])
def test_total_of_a_library_model(case: dict[str, Any]) -> None:
    model = read(case["config"])
    assert sum(row.elements for row in model.rows if row.counted) == case["parameters"]
    assert model.fidelity_by["parameters"] == "exact"


def test_lent_keys_and_values() -> None:
    """Of every two layers of Hunyuan-Large one has keys and values: 32 caches of 8 heads, 80 wide, in 64 layers."""
    from xfcheck.accounting.cache import cache

    case = json.loads(next(path for path in CASES if path.stem == "hunyuan-large").read_text())
    a = read(case["config"]).architecture
    assert cache(a, batch=1, context=100, source=0, dtype="bfloat16")["bytes"] == 32 * 100 * 2 * 8 * 80 * 2


@pytest.mark.parametrize(
    ("stem", "changes", "key"),
    [
        ("ling-mini-2.0", {"use_bias": True}, "/use_bias"),
        ("minicpm-2b", {"num_experts": 8}, "/num_experts"),
        ("llada-8b", {"block_type": "sequential"}, "/block_type"),
        ("telechat-7b", {"num_moe_experts": 16}, "/num_moe_experts"),
        ("yuan2-2b", {"moe_config": {"moe_num_experts": 32}}, "/moe_config"),
    ],
)
def test_what_no_total_confirms_is_an_estimate(stem: str, changes: dict[str, Any], key: str) -> None:
    case = json.loads(next(path for path in CASES if path.stem == stem).read_text())
    model = read({**case["config"], **changes})
    assert model.fidelity == "estimated"
    assert key in {assumption.field for assumption in model.assumptions}


@pytest.mark.parametrize(
    ("stem", "changes", "message"),
    [
        ("hunyuan-large", {"moe_topk": [1, 2]}, "moe_topk differs"),
        ("step3-text", {"moe_layers_enum": "4,x"}, "moe_layers_enum"),
        ("step3-text", {"num_attention_heads": None}, "num_attention_heads"),
        ("jais-13b", {"n_head": 39}, "not divisible"),
        ("baichuan-m1-14b", {"num_swa_attention_heads": 39}, "not divisible"),
    ],
)
def test_what_cannot_be_built_is_refused(stem: str, changes: dict[str, Any], message: str) -> None:
    case = json.loads(next(path for path in CASES if path.stem == stem).read_text())
    with pytest.raises(Refused, match=message):
        read({**case["config"], **changes})
