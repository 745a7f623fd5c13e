"""Which cases a config gives, and at which lengths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from xfcheck.documents.folder import open_model
from xfcheck.kernels.case import Case
from xfcheck.kernels.layers import Lengths, layers, placed_at, varied
from xfcheck.model import load

SAMPLES = Path(__file__).parents[2] / "sample_configs"
PLAIN = Case("", 1, 1, 1, 8, 2, 16, 16, "float32")


def cases_of(name: str) -> list[Case]:
    found, _ = layers(load(open_model(str(SAMPLES / name))).architecture, "float32")
    return [case for case in found if isinstance(case, Case)]


def test_an_encoder_and_its_decoder() -> None:
    """T5: 12 encoder layers that see all and do not decode, 12 decoder layers, 12 of cross attention over the source."""
    cases = cases_of("t5-base")
    assert sorted((c.mixer, c.kind, c.layers, c.decodes) for c in cases) == [
        ("attention", "bidirectional", 12, False),
        ("attention", "causal", 12, True),
        ("cross_attention", "bidirectional", 12, True),
    ]
    cross = next(c for c in cases if c.memory)
    there = placed_at(cross, Lengths("decode", 2, 64, source=40))
    assert there is not None
    assert (there.batch, there.query_length, there.key_length) == (2, 1, 40)
    encoder = next(c for c in cases if not c.decodes)
    assert placed_at(encoder, Lengths("decode", 1, 64)) is None


def test_windows_of_a_config() -> None:
    """Gemma-2: 13 of 26 layers see 4,096 tokens, and scores are capped at 50."""
    cases = cases_of("gemma-2-2b")
    assert sorted((c.kind, c.window, c.softcap, c.layers) for c in cases) == [("causal", None, 50.0, 13), ("sliding", 4096, 50.0, 13)]
    sliding = next(c for c in cases if c.window)
    short, long = (placed_at(sliding, Lengths("prefill", 1, n)) for n in (4096, 8192))
    assert short is not None
    assert long is not None
    assert (short.kind, long.kind) == ("causal", "sliding")


def test_latent_attention_in_both_forms() -> None:
    """DeepSeek-V3: 128 heads of 128 + 64 with values of 128; absorbed, one head of 512 + 64 whose values are its first 512."""
    shapes = {c.variant: (c.query_heads, c.kv_heads, c.head_dim, c.value_dim, c.latent) for c in cases_of("deepseek-v3")}
    assert shapes == {"mla executed": (128, 128, 192, 128, False), "mla absorbed": (128, 1, 576, 512, True)}


@pytest.mark.parametrize(
    ("case", "at", "expected"),
    [
        (replace(PLAIN, kind="document"), Lengths("prefill", 1, 64), ("document", 16, None)),
        (replace(PLAIN, kind="document"), Lengths("prefill", 1, 64, document=10), ("document", 10, None)),
        (replace(PLAIN, kind="document"), Lengths("prefill", 1, 64, document=64), ("causal", None, None)),
        (replace(PLAIN, kind="prefix"), Lengths("prefill", 1, 64), ("prefix", None, 16)),
        (replace(PLAIN, kind="prefix", prefix=20), Lengths("prefill", 1, 64), ("prefix", None, 20)),
        (replace(PLAIN, kind="prefix", prefix=20), Lengths("prefill", 1, 16), ("bidirectional", None, None)),
        (replace(PLAIN, kind="prefix", prefix=20), Lengths("decode", 1, 64, new=4), ("causal", None, None)),
        (replace(PLAIN, kind="chunked", window=32), Lengths("decode", 1, 64), ("chunked", 32, None)),
        (replace(PLAIN, kind="local", window=63), Lengths("prefill", 1, 64), ("bidirectional", None, None)),
        (replace(PLAIN, kind="local", window=62), Lengths("prefill", 1, 64), ("local", 62, None)),
    ],
)
def test_masks_at_a_length(case: Case, at: Lengths, expected: tuple[object, ...]) -> None:
    there = placed_at(case, at)
    assert isinstance(there, Case)
    assert (there.kind, there.window, there.prefix) == expected


def test_keys_that_are_read() -> None:
    """64 keys: a step sees a window of 8, or its chunk of 24 from 48 on; 5 queries at the end see 12 keys of a window of 8."""
    step = replace(PLAIN, query_length=1, key_length=64)
    assert replace(step, kind="sliding", window=8).seen_keys == 8
    assert replace(step, kind="chunked", window=24).seen_keys == 16
    assert replace(step, kind="sliding", window=8, query_length=5).seen_keys == 12
    assert step.seen_keys == 64


def test_heads_that_are_varied() -> None:
    assert [(c.variant, c.kv_heads) for c in varied(PLAIN)] == [("mha", 8), ("gqa:2", 2), ("mqa", 1)]
    assert [(c.variant, c.kv_heads) for c in varied(replace(PLAIN, query_heads=12, kv_heads=12))] == [("mha", 12), ("gqa:3", 3), ("mqa", 1)]
