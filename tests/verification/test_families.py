"""Every model type that a family reads: a small config is verified against the build, and nothing may differ.

The default run takes one type of each family; `-m full` takes all of them, and with the first of `variants` one changed key a type.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")
pytest.importorskip("torch")

from reference.tiny import merged, tiny
from reference.variants import flags, sampled

from xfcheck.documents.folder import open_model
from xfcheck.families._classes import known_types
from xfcheck.model import load, understand
from xfcheck.problems import Refused
from xfcheck.verification.check import unknown
from xfcheck.verification.verify import verify

FOLDER = Path(__file__).resolve().parents[1] / "families"
INDEX: dict[str, str] = json.loads((FOLDER.parents[1] / "xfcheck" / "families" / "_index.json").read_text())
TYPES = [t for t in sorted(INDEX) if t in known_types()]
FIRST = sorted({INDEX[t]: t for t in reversed(TYPES)}.values())
WIDER = {"head_dim": 32}
"""A quarter of the head turns in these types: of the small head width, that is no even number."""
QUARTER = (
    "minicpm_ocr",
    "minicpmv4_6",
    "minicpmv4_7",
    "qwen3_5",
    "qwen3_5_moe",
    "qwen3_5_moe_text",
    "qwen3_5_text",
    "qwen3_next",
    "qwen4_exp",
    "qwen4_exp_text",
)
CHANGES: dict[str, dict[str, Any]] = {
    "idefics2": {"perceiver_config": {"resampler_n_heads": 6}},
    "moonshine": {"partial_rotary_factor": 0.75},
}
"""Of a type's small config: the resampler's key-value heads divide its query heads; an even number of channels turns."""
OPEN = {
    "canine": "stream_attention",
    "clip": "models inside a model",
    "siglip": "models inside a model",
    "siglip2": "models inside a model",
    "deepseek_v4": "compressed_attention",
    "funnel": "pooling_attention",
    "longt5": "blocked_attention",
    "perceiver": "stream_attention",
    "prophetnet": "ngram_attention",
    "reformer": "bucketed_attention",
}
"""Types that have no forward here, and what is named for it."""
SAVED = "activations.saved"


@pytest.fixture(autouse=True)
def _without_saved_activations(monkeypatch: pytest.MonkeyPatch) -> None:
    """They run a scaled-down instance, which takes longer than all other checks, and have tests of their own."""
    monkeypatch.setattr("xfcheck.verification.verify._saved", lambda model: unknown(SAVED, "not asked"), raising=False)


def small(model_type: str) -> dict[str, Any]:
    data = merged(tiny(model_type), CHANGES.get(model_type, {}))
    if model_type not in QUARTER:
        return data
    return merged(data, {key: WIDER for key in data if isinstance(data[key], dict) and "head_dim" in data[key]} or WIDER)


def checked(folder: Path, data: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Check -> (verdict, why)."""
    warnings.simplefilter("ignore")
    (folder / "config.json").write_text(json.dumps(data))
    return {c.check: (c.verdict, c.why) for c in verify(load(open_model(str(folder))))}


def proven(folder: Path, model_type: str) -> None:
    found = checked(folder, small(model_type))
    assert {name: said for name, said in found.items() if said[0] == "differs" and name != SAVED} == {}
    if model_type in OPEN:
        assert OPEN[model_type] in found["flops.prefill"][1]
        return
    assert found["parameters.total"][0] == found["flops.prefill"][0] == found["cache.bytes"][0] == "agreed"
    assert found["shapes"][0] == "agreed" or "a stack fills up its tokens" in found["shapes"][1]
    assert found["ledger"][0] == "agreed" or "buffers that" in found["ledger"][1]


@pytest.mark.parametrize("model_type", FIRST)
def test_one_type_of_each_family(model_type: str, tmp_path: Path) -> None:
    proven(tmp_path, model_type)


@pytest.mark.parametrize("model_type", ["bert", "roberta", "albert", "electra", "esm", "gte", "nomic_bert", "xlm", "blt", "t5"])
@pytest.mark.parametrize("tied", [True, False])
def test_heads_tied_or_not(model_type: str, tied: bool, tmp_path: Path) -> None:
    found = checked(tmp_path, merged(tiny(model_type), {"tie_word_embeddings": tied}))
    assert (found["parameters.total"][0], found["ledger"][0]) == ("agreed", "agreed")


@pytest.mark.full
@pytest.mark.parametrize("model_type", TYPES)
def test_every_type(model_type: str, tmp_path: Path) -> None:
    proven(tmp_path, model_type)


@pytest.mark.full
@pytest.mark.parametrize("model_type", TYPES)
def test_changed_keys_of_every_type(model_type: str, tmp_path: Path) -> None:
    wrong = {}
    for label, data in flags(model_type):
        if not sampled(model_type, label, 4):
            continue
        try:
            found = checked(tmp_path, data)
        except Refused:
            continue
        wrong |= {f"{label}: {name}": why for name, (verdict, why) in found.items() if verdict == "differs" and name != SAVED}
    assert wrong == {}


@pytest.mark.full
@pytest.mark.parametrize("path", sorted((FOLDER / "fla").glob("*.json")), ids=lambda path: path.stem)
def test_models_of_flash_linear_attention(path: Path) -> None:
    for case in json.loads(path.read_text()):
        checks = verify(understand(case["config"], None))  # type: ignore[arg-type]
        assert [(c.check, c.why) for c in checks if c.verdict == "differs" and c.check != SAVED] == []
