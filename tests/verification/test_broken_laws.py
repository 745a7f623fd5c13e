"""Every law fails by its name: where a design can break it, by a description of one; else by a build that computes something else."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
import torch

from xfcheck.laws import LAWS, judge
from xfcheck.laws.device import BOUNDS, CPU, Place, choose
from xfcheck.laws.instance import prepare
from xfcheck.problems import Usage
from xfcheck.torch_build import heads, masks, norms, positions
from xfcheck.torch_build.mixers import attention as softmax_attention
from xfcheck.torch_build.mixers import gated_delta, kimi_delta, mlstm, moe

from .designs import DESIGNS, EXPERTS, MLP, attention, block, design, encoder_decoder, read
from .single_designs import KIMI, MLSTM, SINGLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FAULTY: dict[str, tuple[dict[str, Any], str]] = {
    "no key is seen": (design(block(attention(mask={"kind": "sliding", "window": 0}), MLP)), "law.masked_rows"),
    "no key of a chunk is seen": (design(block(attention(mask={"kind": "chunked", "window": 0}), MLP)), "law.masked_rows"),
    "scores are not scaled": (design(block(attention(head_dim=64, scale=1.0), MLP)), "law.score_scale"),
    "scores are scaled twice": (design(block(attention(head_dim=64, scale=1 / 64), MLP)), "law.score_scale"),
    "latent scores scaled by one part's width": (
        design(block({**DESIGNS["latent, indexed"]["stacks"][0]["blocks"][0]["sublayers"][0]["mixers"][0], "scale": 1.0}, MLP)),
        "law.score_scale",
    ),
    "an odd rotation": (design(block(attention(position={"kind": "rotary", "width": 3}), MLP)), "law.rope_relative"),
    "residual steps that explode": (design(block(attention(), MLP, multiplier=500.0)), "init.residual_growth"),
    "a capacity below the load": (
        design(block(attention(), {"kind": "moe", "experts": 8, "experts_per_token": 2, "expert": MLP, "capacity_factor": 0.5})),
        "law.capacity",
    ),
}
"""Descriptions of a design, and the law that each breaks."""

Broken = tuple[dict[str, Any], Any, str, "Callable[[Any], Any]"]
SINUSOIDS = design(block(attention(position=None), MLP), embedding={"rows": 48, "position": {"kind": "sinusoidal"}})
PLAIN, ENCODER = DESIGNS["grouped"], DESIGNS["encoder"]
ATTENTION = softmax_attention.AttentionLayer


def law(name: str) -> Any:
    return import_module(f"xfcheck.laws.{name}")


def scaled(factor: float) -> Callable[[Any], Any]:
    return lambda real: lambda *given, **more: real(*given, **more) * factor


def paired(factor: float) -> Callable[[Any], Any]:
    """Of (output, state), the output multiplied."""

    def changed(real: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            first, *rest = real(*given, **more)
            return (first * factor, *rest)

        return call

    return changed


def by_place(real: Any) -> Any:
    def mixed(self: Any, q: Any, k: Any, v: Any, at: Any, run: Any) -> Any:
        return real(self, q + torch.arange(q.shape[2], dtype=q.dtype)[:, None], k, v, at, run)

    return mixed


def blind(real: Any) -> Any:
    return lambda self, at, run: masks.visible(self.spec.mask, *at)[None, None]


def afterwards(real: Any) -> Any:
    """Zeroes weights after the softmax."""
    return lambda scores, seen, sinks=None: torch.softmax(scores, -1) * (1 if seen is None else seen)


def first_key(real: Any) -> Any:
    """All weight on the first key, which no mask takes away."""

    def weights(scores: Any, seen: Any, sinks: Any = None) -> Any:
        return torch.zeros_like(scores).index_fill(-1, torch.tensor([0]), 1.0)

    return weights


def cut(real: Any) -> Any:
    return lambda *given: real(*given)[..., :-1]


BROKEN: dict[str, Broken] = {
    "law.row_sums": (PLAIN, masks, "softmax", scaled(1.1)),
    "law.hull": (PLAIN, masks, "softmax", scaled(3.0)),
    "law.masks_merge": (PLAIN, law("masks_merge"), "softmax", afterwards),
    "law.zeroed_after": (PLAIN, law("masks_merge"), "softmax", first_key),
    "law.causal": (PLAIN, masks, "visible", lambda real: lambda mask, queries, keys: real(mask, queries + 1, keys)),
    "law.padding": (ENCODER, ATTENTION, "_seen", blind),
    "law.grouped_heads": (PLAIN, ATTENTION, "_mixed", lambda real: lambda self, q, k, v, *r: real(self, q, k.flip(1), v.flip(1), *r)),
    "law.tiled": (PLAIN, ATTENTION, "_mixed", lambda real: lambda self, q, *r: real(self, q * 2, *r)),
    "law.permutation": (PLAIN, ATTENTION, "_mixed", by_place),
    "law.rope_relative": (PLAIN, positions, "angles", lambda real: lambda *given: real(*given).square()),
    "law.position_tables": (SINUSOIDS, law("position_tables"), "sinusoid", scaled(1.1)),
    "law.position_shift": (SINUSOIDS, law("position_tables"), "sinusoid", lambda real: lambda at, *r: real(at * at, *r)),
    "law.alibi": (DESIGNS["alibi, layer norm"], law("alibi"), "slopes", lambda real: lambda heads: [s * 2 for s in real(heads)]),
    "law.norms": (DESIGNS["alibi, layer norm"], norms.NormLayer, "forward", scaled(1.1)),
    "law.gated_budget": (
        PLAIN,
        law("gated_budget"),
        "MLPLayer",
        lambda real: lambda spec, site: real(spec.model_copy(update={"gated": False}), site),
    ),
    "law.tying": (PLAIN, heads.HeadModule, "matrix", lambda real: lambda self: real(self).clone()),
    "law.router_weights": (DESIGNS["experts"], moe.MoELayer, "choice", paired(2.0)),
    "law.router_choice": (
        DESIGNS["experts"],
        moe.MoELayer,
        "choice",
        lambda real: lambda self, x: (real(self, x)[0], torch.zeros_like(real(self, x)[1])),
    ),
    "init.router_balance": (
        DESIGNS["experts"],
        moe.MoELayer,
        "choice",
        lambda real: lambda self, x: (real(self, x)[0], torch.arange(2).expand_as(real(self, x)[1])),
    ),
    "law.balance_loss": (DESIGNS["experts"], law("balance_loss"), "loss", scaled(0.5)),
    "law.discretisation": (DESIGNS["mamba"], law("discretisation"), "decayed", lambda real: lambda step, rate: 1 + step * rate),
    "law.associative": (
        DESIGNS["mamba"],
        law("scan"),
        "after",
        lambda real: lambda second, first: (second[0] @ first[0], second[1] - first[1]),
    ),
    "law.scan": (DESIGNS["mamba"], law("scan"), "scan", scaled(1.01)),
    "law.linear_attention": (DESIGNS["lightning"], law("linear_attention"), "blocks", paired(1.01)),
    "law.delta_rule": (DESIGNS["gated delta"], gated_delta, "chunked", paired(1.01)),
    "law.matrix_memory": (
        design(block(MLSTM, MLP)),
        mlstm,
        "chunk",
        lambda real: lambda q, *r: real(q * (1.01 if q.shape[2] > 1 else 1), *r),
    ),
    "law.relative_bias": (
        encoder_decoder(),
        law("relative_bias"),
        "buckets",
        lambda real: lambda spec, queries, keys: (real(spec, queries, keys) + queries[:, None]) % spec.buckets,
    ),
    "law.cross_attention": (encoder_decoder(), ATTENTION, "_source", lambda real: lambda self, x, run: x),
    "law.cached_decode": (
        DESIGNS["windows"],
        masks,
        "kept",
        lambda real: lambda mask, tokens: None if (n := real(mask, tokens)) is None else n - 1,
    ),
}
"""Law -> a sound design, what of the build (or of the law's own terms) is exchanged, and for what."""


def broken(folder: Path, data: dict[str, Any], place: Place = CPU) -> set[str]:
    return {c.check for c in judge(read(folder, data), place) if c.verdict == "differs"}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_design_fails_by_the_name_of_the_law(name: str, tmp_path: Path) -> None:
    data, said = FAULTY[name]
    assert said in broken(tmp_path, data)


@pytest.mark.parametrize("name", BROKEN)
def test_a_build_that_computes_something_else(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, where, attribute, change = BROKEN[name]
    model = read(tmp_path, data)
    assert name not in {c.check for c in judge(model) if c.verdict != "agreed"}
    monkeypatch.setattr(where, attribute, change(getattr(where, attribute)))
    assert name in {c.check for c in judge(model) if c.verdict == "differs"}


def test_a_kimi_rule_that_differs_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kimi_delta, "chunked", paired(1.01)(kimi_delta.chunked))
    assert "law.delta_rule" in broken(tmp_path, design(block(KIMI, MLP)))


def test_every_law_is_among_them(tmp_path: Path) -> None:
    said = {name for _, name in FAULTY.values()} | set(BROKEN)
    asked = set()
    for i, data in enumerate([*DESIGNS.values(), *SINGLE.values(), SINUSOIDS, FAULTY["a capacity below the load"][0]]):
        (tmp_path / str(i)).mkdir()
        x = prepare(read(tmp_path / str(i), data))
        for module in LAWS:
            asked |= {c.check for c in law(module).judge(x)}
    assert asked - said == set()
    assert {check.partition(".")[2] for check in asked} >= set(LAWS) - {"router_weights", "position_tables"}


def test_the_device_is_chosen() -> None:
    assert choose("auto", gpus=0) == choose("cpu", gpus=2) == CPU
    assert choose("auto", gpus=2, called=lambda device: f"card {device}") == Place("cuda:0", torch.float64, "card cuda:0")
    assert choose("cuda:1", gpus=2, called=str.upper).called == "CUDA:1"
    for asked, gpus in (("cuda", 0), ("cuda:2", 2), ("tpu", 1), ("cuda:-1", 1)):
        with pytest.raises(Usage):
            choose(asked, gpus=gpus)


def test_the_row_says_where_laws_ran(tmp_path: Path) -> None:
    row = judge(read(tmp_path, PLAIN))[0]
    assert (row.check, row.got, row.verdict) == ("laws.device", "cpu, float64", "agreed")
    assert f"{BOUNDS[torch.float64]:g}" in row.why


@pytest.mark.parametrize("name", ["grouped", "windows", "experts", "latent", "mamba2", "gated delta", "lightning", "encoder-decoder"])
def test_laws_hold_in_32_bits_within_their_bound(name: str, tmp_path: Path) -> None:
    assert broken(tmp_path, DESIGNS[name], Place("cpu", torch.float32, "CPU")) == set()


def test_statistics_of_the_start_are_numbers_and_bars(tmp_path: Path) -> None:
    said = {c.check: c for c in judge(read(tmp_path, design(block(attention(), {**EXPERTS}))))}
    assert "before the scale 0.5" in said["law.score_scale"].why
    assert set(said["init.router_balance"].why) & set("▁▂▃▄▅▆▇█")
    growth = said["init.residual_growth"].why
    assert "norms before" in growth
    assert growth.endswith("to 1")  # root mean square norms after the sums hold the stream at one
