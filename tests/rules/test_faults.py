"""Every fault, put into a small config of every type that a family reads, is found at its first file.

What transformers 5.24 takes for a fault was tried by building and running the faulty configs: LEGAL names the types that run it, and
rightly so.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.reference.tiny import tiny
from tests.rules.faults import FAULTS, faulty
from xfcheck.documents.folder import open_model
from xfcheck.families._classes import known_types
from xfcheck.families._index import index as families
from xfcheck.rules._engine import lint
from xfcheck.rules._registry import index as rules

if TYPE_CHECKING:
    from pathlib import Path

    from tests.rules.faults import Config

LEGAL: dict[str, str] = {
    # no layer is dense
    "feed-forward width of 0": "inkling_text mellum qwen2_moe qwen3_moe qwen3_next qwen3_omni_moe_text qwen3_vl_moe_text",
    # one key-value head, whatever the key says; Moonshine's decoder takes the encoder's number
    "key-value heads that do not divide": "deepseek_v4 moonshine",
    "more key-value heads than heads": "deepseek_v4 laguna moonshine",  # laguna's layers have heads of their own numbers
    # codes of sound: no table has a padding row, and only generation compares with the end
    "padding id beyond the vocabulary": "dia",
    "negative padding id": "dia",
    "end id beyond the vocabulary": "dia",
    # no rotary positions, or a part of the head
    "odd head width": "inkling_text qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen3_next qwen4_exp qwen4_exp_text",
    "vocabulary missing": "t5gemma git",  # the decoder's is read; a model with a tower is told as an info
    "depth missing": "git",
    # dense layers then
    "no experts": "doge flint gemma4 gemma4_assistant gemma4_text granitemoehybrid jamba qwen2_moe qwen3_moe qwen3_next "
    "qwen3_omni_moe_text qwen3_vl_moe qwen3_vl_moe_text",
    "heads that divide nothing": "convbert xlstm",  # heads of the reduced width; no attention
    "one column too many": "xlstm",
    "one layer less than listed": "bailing_hybrid",  # the entry of its draft layer
}
"""Fault -> types in which it is none."""

WANTS = {
    "unknown rotary type": "XF303", "yarn without a factor": "XF305", "window of 0": "XF322", "negative window": "XF322",
    "padding id beyond the vocabulary": "XF603", "negative padding id": "XF603", "end id beyond the vocabulary": "XF603",
}  # fmt: skip
"""Faults that one rule alone finds."""


def said(config: Config, folder: Path) -> set[tuple[str, str, str]]:
    """Errors and warnings of a config: code, pointer, message."""
    (folder / "config.json").write_text(json.dumps(config))
    report = lint(open_model(str(folder)))
    assert not report.crashed, [f.message for f in report.findings if f.code == "XF900"]
    return {(f.code, f.pointer, f.message) for f in report.findings if f.severity != "info"}


def unfound(model_type: str, folder: Path) -> list[str]:
    """The faults of a type that change nothing in what lint says."""
    before = said(tiny(model_type), folder)
    missed = []
    for name, config in faulty(tiny(model_type)):
        if WANTS.get(name, "XF101") not in rules() or model_type in LEGAL.get(name, "").split():
            continue
        if not said(config, folder) - before:
            missed.append(name)
    return missed


TYPES = sorted(known_types() & set(families()))
SAMPLE = [t for t in TYPES if zlib.crc32(t.encode()) % 6 == 0]


@pytest.mark.parametrize("model_type", SAMPLE)
def test_each_fault_is_found(model_type: str, tmp_path: Path) -> None:
    assert unfound(model_type, tmp_path) == []


@pytest.mark.full
@pytest.mark.parametrize("model_type", [t for t in TYPES if t not in SAMPLE])
def test_each_fault_is_found_in_every_type(model_type: str, tmp_path: Path) -> None:
    assert unfound(model_type, tmp_path) == []


def test_legal_faults_are_faults() -> None:
    assert set(LEGAL) | set(WANTS) <= set(FAULTS)
