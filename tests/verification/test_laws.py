"""Laws hold for sound designs, and a faulty design fails by the law's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from xfcheck.documents.folder import open_model
from xfcheck.laws import judge
from xfcheck.model import load

from .designs import DESIGNS, read
from .single_designs import SINGLE

SAMPLES = Path(__file__).parents[2] / "sample_configs"

MASKLESS = {f"no mask of padding in mixers of kind {kind}" for kind in ("fourier", "landmark_attention", "mixed_convolution")}
"""Told, and no fault of the design."""


@pytest.mark.parametrize("name", [*DESIGNS, *SINGLE])
def test_sound_designs_keep_the_laws(name: str, tmp_path: Path) -> None:
    checks = judge(read(tmp_path, {**DESIGNS, **SINGLE}[name]))
    assert [(c.check, c.got, c.why) for c in checks if c.verdict != "agreed" and c.why not in MASKLESS] == []


def test_what_a_published_family_chose_is_told_and_not_judged() -> None:
    checks = judge(load(open_model(str(SAMPLES / "t5-base"))))
    assert not [c for c in checks if c.verdict == "differs"]
    scale = next(c for c in checks if c.check == "law.score_scale")
    assert (scale.verdict, scale.got) == ("not_verified", pytest.approx(64, rel=0.1))
