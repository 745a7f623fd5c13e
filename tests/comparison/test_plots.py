"""Plots: labels that do not lie on one another, lines through the budget's values, names that are only text."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xfcheck.accounting.budget import Options, budget
from xfcheck.comparison.axes import variations
from xfcheck.comparison.compare import Comparison, variants
from xfcheck.comparison.curves import Curves
from xfcheck.comparison.draft import Draft
from xfcheck.documents.folder import open_model
from xfcheck.model import load
from xfcheck.problems import Usage
from xfcheck.reports.comparison_bars import bars
from xfcheck.reports.comparison_plots import KINDS, Lines, plot
from xfcheck.reports.comparison_scales import Log, span, spread, ticks
from xfcheck.reports.comparison_svg import DARK, LIGHT, svg

LLAMA = str(Path(__file__).parents[2] / "sample_configs" / "llama-3-8b")
EIGHT = "attention=mha,gqa:16,gqa:8,gqa:4,gqa:2,mqa,mla,mla:256+32"
SVG = "{http://www.w3.org/2000/svg}"


def compared(*flags: str) -> Comparison:
    """Variants of Llama 3 8B on a device."""
    return variants(Draft(load(open_model(LLAMA)), Options(device="h100-sxm")), variations(list(flags)))


@pytest.mark.parametrize("flag", ["window=4096", EIGHT])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_labels_stand_inside_and_apart(kind: str, flag: str) -> None:
    root = ET.fromstring(svg(plot(kind, compared(flag))))
    width, height = (float(n) for n in root.attrib["viewBox"].split()[2:])
    boxes = []
    for text in root.iter(f"{SVG}text"):
        size = 15 if text.get("class") == "title" else 12
        wide, x, y = 0.62 * size * len(text.text or ""), float(text.attrib["x"]), float(text.attrib["y"])
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[text.get("text-anchor", "start")]
        assert left >= 0, text.text
        assert left + wide <= width + 2, text.text
        assert 0 < y < height, text.text
        boxes.append((left, left + 0.85 * wide, y - 0.8 * size, y, text.text))
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], (a[4], b[4])


def test_lines_go_through_what_the_budget_says() -> None:
    draft = Draft(load(open_model(LLAMA)), Options(batch=3, cache_dtype="fp8"))
    at = Curves(draft)
    for context in (1, 77, 8192):
        spent = budget(draft.model, draft.options._replace(context=context))
        assert at.cache_bytes(context) == spent["cache"]["bytes"]
        assert at.flops(context) == spent["flops"]["prefill"]["total_visible"]
        assert at.flops(context, decode=True) == spent["flops"]["decode"]["total_visible"]
    drawn = plot("cache", compared("attention=mha,mqa"))
    assert isinstance(drawn, Lines)
    assert dict(drawn.series[0].points)[8192] == 4 * 2**30


def test_light_and_dark_have_contrast() -> None:
    """Text-sized marks against their ground at 4.5 to 1 (WCAG 2.2, success criterion 1.4.3)."""

    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colors, ground in ((LIGHT, "#ffffff"), (DARK, "#0d1117")):
        for color in colors:
            low, high = sorted((luminance(color), luminance(ground)))
            assert (high + 0.05) / (low + 0.05) >= 4.5, color
    assert "prefers-color-scheme:dark" in svg(plot("cache", compared("window=64")))


def test_names_from_files_are_text() -> None:
    comparison = compared("window=64")
    comparison.entries[0].name = "<script>alert(1)</script>\x1b[31m"
    drawn = svg(plot("cache", comparison))
    assert "<script" not in drawn
    assert "\x1b" not in drawn
    ET.fromstring(drawn)


@given(st.lists(st.floats(0, 300), min_size=1, max_size=16))
def test_labels_are_spread_in_order_with_room_between(wanted: list[float]) -> None:
    placed = spread(wanted, 17, 0, 300)
    ordered = [placed[i] for i in sorted(range(len(wanted)), key=lambda i: (wanted[i], i))]
    assert all(b - a >= 17 - 1e-6 for a, b in pairwise(ordered))
    assert ordered[0] >= -1e-6
    assert ordered[-1] <= 300 + 1e-6


def test_labels_stay_where_there_is_room() -> None:
    assert spread([10.0, 50.0, 200.0], 17, 0, 300) == [10.0, 50.0, 200.0]
    assert spread([100.0, 100.0], 20, 0, 300) == [90.0, 110.0]


def test_axes() -> None:
    assert Log(1, 100, 0, 200).at(10) == pytest.approx(100)
    assert ticks(1, 16, 2, 10) == [1, 2, 4, 8, 16]
    assert ticks(1, 16, 2, 3) == [1, 4, 16]
    assert span([3.0, 17.0], 2) == (2.0, 32.0)
    assert span([8.0], 2) == (8.0, 16.0)


def test_bars_are_as_long_as_their_share() -> None:
    lines = bars(compared("attention=mha,gqa:8,mqa"), "cache.bytes").splitlines()
    assert [line.count("█") for line in lines[1:]] == [40, 10, 1]
    assert lines[3].split()[1] == "█▎", "a 32nd of 40 cells is 1 and a quarter"
    plain = bars(compared("attention=mha,gqa:8"), "cache.bytes", blocks=False)
    assert plain.isascii()
    assert [line.count("#") for line in plain.splitlines()[1:]] == [40, 10]
    assert bars(compared("attention=mha"), "parameters.not_loaded") == ""


def test_too_many_lines_are_refused() -> None:
    with pytest.raises(Usage, match="16"):
        plot("cache", compared("layers=" + ",".join(map(str, range(1, 18)))))


def test_png_without_matplotlib_is_usage(tmp_path: Path) -> None:
    program = "import sys; sys.modules['matplotlib'] = None\nfrom xfcheck.cli.app import run\nrun(sys.argv[1:])"
    arguments = ["compare", LLAMA, "--vary", "window=64", "--plot", f"cache={tmp_path}/a.png"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "xfcheck[plots]" in done.stderr


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="extra plots is not installed")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_png(kind: str, tmp_path: Path) -> None:
    from xfcheck.reports.comparison_png import png

    png(plot(kind, compared(EIGHT)), str(tmp_path / "a.png"))
    head = (tmp_path / "a.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert re.fullmatch(rb"....", head[16:20], re.DOTALL)
    assert int.from_bytes(head[16:20], "big") > 1000
