"""The rotary blocks of reader transformers@5 against the config objects of transformers itself."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import pytest

from xfcheck.families._classes import class_table, known_types
from xfcheck.families._read.settings import Settings
from xfcheck.readers.rope import rope5, rotary_class

transformers = pytest.importorskip("transformers")

YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
FILES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "base outside": {"rope_theta": 77.0},
    "old type": {"rope_theta": 77.0, "rope_scaling": {"type": "linear", "factor": 2.0}},
    "yarn": {"rope_theta": 77.0, "rope_scaling": YARN},
    "yarn without original": {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}},
    "new spelling": {"rope_parameters": {"rope_type": "default", "rope_theta": 99.0}},
    "both spellings": {
        "rope_parameters": {"rope_type": "default", "rope_theta": 99.0},
        "rope_scaling": {"rope_type": "linear", "factor": 2.0},
    },
    "base twice": {"rope_theta": 77.0, "rope_parameters": {"rope_type": "default", "rope_theta": 99.0}},
    "no type": {"rope_scaling": {"factor": 2.0}},
}
TABLES = {t: table for t in sorted(known_types()) if (table := class_table(t)) is not None and table.model_type == t}
TYPES = [t for t, table in TABLES.items() if rotary_class(Settings({}, table))]


def reference(model_type: str, data: dict[str, Any]) -> dict[str | None, dict[str, Any]] | None:
    """layer kind -> block of the reference, null where it makes no config of the file."""
    with contextlib.suppress(Exception):
        found = transformers.CONFIG_MAPPING[model_type](**data).rope_parameters or {}
        inner = {k: v for k, v in found.items() if isinstance(v, dict)}
        return dict(inner) if inner else {None: found}
    return None


OPEN = {"cohere_compass_text", "dots3_note_text", "neomme"}
"""Classes with a reading of their own that is not modelled."""


@pytest.mark.parametrize("model_type", [t for t in TYPES if t not in OPEN])
def test_blocks(model_type: str) -> None:
    keys = ("rope_theta", "rope_type", "factor", "original_max_position_embeddings")
    have, wanted = {}, {}
    for what, file in FILES.items():
        found = reference(model_type, copy.deepcopy(file))
        if found is not None:
            wanted[what] = {kind: tuple(block.get(k) for k in keys) for kind, block in found.items()}
            ropes = rope5(Settings(file, class_table(model_type)))
            have[what] = {r.layers: r.plain("theta", "type", "factor", "original_max_position_embeddings") for r in ropes}
    assert have == wanted
