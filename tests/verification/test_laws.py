"""Laws hold for sound designs, and a faulty design fails by the law's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from xfcheck.documents.folder import open_model
from xfcheck.laws import LAWS, judge
from xfcheck.model import load

from .designs import DESIGNS, MLP, attention, block, design, read
from .single_designs import SINGLE

SAMPLES = Path(__file__).parents[2] / "sample_configs"

FAULTY: dict[str, tuple[dict[str, Any], str]] = {
    "no key is seen": (design(block(attention(mask={"kind": "sliding", "window": 0}), MLP)), "law.masked_rows"),
    "scores are not scaled": (design(block(attention(head_dim=64, scale=1.0), MLP)), "law.score_scale"),
    "an odd rotation": (design(block(attention(position={"kind": "rotary", "width": 3}), MLP)), "law.rope_relative"),
    "residual steps that explode": (design(block(attention(), MLP, multiplier=500.0)), "init.residual_growth"),
    "a capacity below the load": (
        design(block(attention(), {"kind": "moe", "experts": 8, "experts_per_token": 2, "expert": MLP, "capacity_factor": 0.5})),
        "law.capacity",
    ),
}

MASKLESS = {f"no mask of padding in mixers of kind {kind}" for kind in ("fourier", "landmark_attention")}
"""Told, and no fault of the design."""


@pytest.mark.parametrize("name", [*DESIGNS, *SINGLE])
def test_sound_designs_keep_the_laws(name: str, tmp_path: Path) -> None:
    checks = judge(read(tmp_path, {**DESIGNS, **SINGLE}[name]))
    assert [(c.check, c.got, c.why) for c in checks if c.verdict != "agreed" and c.why not in MASKLESS] == []


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_design_fails_by_the_name_of_the_law(name: str, tmp_path: Path) -> None:
    data, law = FAULTY[name]
    checks = judge(read(tmp_path, data))
    assert law in {c.check for c in checks if c.verdict == "differs"}


def test_what_a_published_family_chose_is_told_and_not_judged() -> None:
    checks = judge(load(open_model(str(SAMPLES / "t5-base"))))
    assert not [c for c in checks if c.verdict == "differs"]
    scale = next(c for c in checks if c.check == "law.score_scale")
    assert (scale.verdict, scale.got) == ("not_verified", pytest.approx(64, rel=0.1))


def test_every_law_is_asked_of_some_design(tmp_path: Path) -> None:
    from importlib import import_module

    from xfcheck.laws.instance import prepare

    seen = set()
    for i, data in enumerate(
        [
            *DESIGNS.values(),
            FAULTY["a capacity below the load"][0],
            design(block(attention(position=None), MLP), embedding={"rows": 48, "position": {"kind": "sinusoidal"}}),
        ]
    ):
        folder = tmp_path / str(i)
        folder.mkdir()
        x = prepare(read(folder, data))
        seen |= {law for law in set(LAWS) - seen if list(import_module(f"xfcheck.laws.{law}").judge(x))}
    assert set(LAWS) - seen == set()
