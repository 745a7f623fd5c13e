"""Every case of `fla/`: names, shapes and totals that flash-linear-attention's own models have (scripts/fla_cases.py records them)."""

from __future__ import annotations

import json
import re
from math import prod
from pathlib import Path
from typing import Any

import pytest

from xfcheck.model import understand

FOLDER = Path(__file__).with_name("fla")
CASES = [(path.stem, case) for path in sorted(FOLDER.glob("*.json")) for case in json.loads(path.read_text())]


def unfolded(tensors: dict[str, list[int]]) -> dict[str, tuple[int, ...]]:
    """Name -> shape with every layer by itself."""
    out = {}
    for name, shape in tensors.items():
        span = re.search(r"\{([\d,-]+)\}", name)
        pieces = [piece.partition("-") for piece in span[1].split(",")] if span else []
        layers = [i for first, _, last in pieces for i in range(int(first), int(last or first) + 1)]
        for text in [name.replace(span[0], str(i)) for i in layers] if span else [name]:
            out[text] = tuple(shape)
    return out


@pytest.mark.parametrize(("kind", "case"), CASES, ids=[f"{kind}-{i}" for i, (kind, _) in enumerate(CASES)])
def test_names_and_shapes(kind: str, case: dict[str, Any]) -> None:
    model = understand(case["config"], None)  # type: ignore[arg-type]
    own = [row for row in model.rows if not row.tied_to]
    named = {row.name.replace("{layer}", str(i)): row.shape for row in own for i in (row.layers or [0])}
    expected = unfolded(case["tensors"])
    assert named == expected
    assert sum(prod(shape) for shape in named.values()) == case["parameters"]
    assert (model.model_type, model.fidelity_by["parameters"], model.fidelity_by["flops"]) == (kind, "exact", "estimated")


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"model_type": "gla", "attnres_block_size": 4}, "/attnres_block_size"),
        ({"model_type": "linear_attn", "feature_map": "hedgehog"}, "/feature_map"),
        ({"model_type": "rwkv7", "value_dim": 4096}, "/value_dim"),
    ],
)
def test_what_no_case_holds_is_an_estimate(config: dict[str, Any], key: str) -> None:
    model = understand(config, None)  # type: ignore[arg-type]
    assert model.fidelity == "estimated"
    assert key in {assumption.field for assumption in model.assumptions}
