"""The names that rules judge by are those of the transformers they are stamped with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from transformers.activations import ACT2FN

from xfcheck.rules._facts import facts, nearest
from xfcheck.rules._names import DIMENSIONS, OF

ROOT = Path(__file__).parents[2]


@pytest.mark.full
def test_facts_are_fresh() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "rule_facts.py"), "--check"], check=False, cwd=ROOT)
    assert done.returncode == 0, "run scripts/rule_facts.py"


def test_activations_are_those_of_transformers() -> None:
    assert facts()["activations"] == sorted(ACT2FN)


def test_a_name_belongs_to_one_dimension() -> None:
    names = [name for row in DIMENSIONS.values() for name in row.names]
    assert len(names) == len(set(names)) == len(OF)


def test_nearest_is_near() -> None:
    assert nearest("sillu", facts()["activations"]) == "silu"
    assert nearest("zzzz", facts()["activations"]) is None
