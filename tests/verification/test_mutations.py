"""Faults that a proof must catch, one at a time: in the ledger, in the accountant, in the build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xfcheck.laws import judge
from xfcheck.torch_build import masks
from xfcheck.verification.verify import verify

from .designs import DESIGNS, MLP, attention, block, design, read

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from xfcheck.model import Model

BIASED = design(block(attention(biases=["query"]), MLP))
WINDOW = design(block(attention(mask={"kind": "sliding", "window": 5}), MLP))


def differing(model: Model) -> set[str]:
    return {c.check for c in verify(model) if c.verdict == "differs"}


def broken(model: Model) -> set[str]:
    return {c.check for c in judge(model) if c.verdict == "differs"}


def changed(model: Model, part: str, **fields: Any) -> Model:
    """The model with the first row of that part of a role changed; without fields, with the row left out."""
    place = next(i for i, row in enumerate(model.rows) if row.role.part == part)
    rows = list(model.rows)
    rows[place : place + 1] = [rows[place]._replace(**fields)] if fields else []
    model.rows = rows
    return model


def test_swapped_shapes(tmp_path: Path) -> None:
    assert differing(changed(read(tmp_path, BIASED), "down", shape=(24, 16))) == {"ledger"}


def test_a_dropped_bias(tmp_path: Path) -> None:
    assert differing(changed(read(tmp_path, BIASED), "query_bias")) == {"ledger", "parameters.total"}


def test_a_wrong_tie(tmp_path: Path) -> None:
    assert differing(changed(read(tmp_path, BIASED), "head", tied_to=None)) == {"ledger", "parameters.total"}


def test_a_buffer_that_is_counted(tmp_path: Path) -> None:
    model = read(tmp_path, DESIGNS["experts stacked"])
    assert differing(changed(model, "correction", kind="parameter")) == {"ledger", "parameters.total"}


def test_a_matrix_used_once_too_often(tmp_path: Path) -> None:
    assert differing(changed(read(tmp_path, BIASED), "up", uses=2)) == {"ledger", "flops.prefill", "flops.decode"}


def test_a_wrong_stream(tmp_path: Path) -> None:
    model = read(tmp_path, DESIGNS["encoder-decoder"])
    place = next(i for i, row in enumerate(model.rows) if row.role.component == "cross_attention" and row.role.part == "key")
    model.rows[place] = model.rows[place]._replace(stream="decoder")
    assert {"ledger", "flops.prefill", "flops.decode"} <= differing(model)


def test_a_window_that_keeps_w_in_the_accountant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xfcheck.accounting import pairs
    from xfcheck.accounting.engines import transformers

    monkeypatch.setattr(transformers, "tokens", lambda held, context, source: min(context, held.mask.window))
    monkeypatch.setattr(pairs, "retained", lambda window: window)
    assert differing(read(tmp_path, WINDOW)) == {"cache.bytes", "cache.bytes.after_decode", "flops.decode"}


def test_a_build_that_keeps_too_little_of_a_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = masks.kept
    monkeypatch.setattr(masks, "kept", lambda mask, tokens: None if (n := kept(mask, tokens)) is None else n - 1)
    assert "law.cached_decode" in broken(read(tmp_path, WINDOW))


def test_a_mask_shifted_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visible = masks.visible
    monkeypatch.setattr(masks, "visible", lambda mask, queries, keys: visible(mask, queries + 1, keys))
    assert "law.causal" in broken(read(tmp_path, BIASED))


def test_a_forgotten_scale_in_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xfcheck.torch_build.mixers.attention import AttentionLayer

    mixed = AttentionLayer._mixed

    def unscaled(self: Any, q: Any, *rest: Any) -> Any:
        return mixed(self, q * self.spec.head_dim**0.5, *rest)

    monkeypatch.setattr(AttentionLayer, "_mixed", unscaled)
    assert "law.tiled" in broken(read(tmp_path, BIASED))


def test_heads_that_read_another_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xfcheck.torch_build.mixers.attention import AttentionLayer

    mixed = AttentionLayer._mixed
    monkeypatch.setattr(AttentionLayer, "_mixed", lambda self, q, k, v, *rest: mixed(self, q, k.flip(1), v.flip(1), *rest))
    assert "law.grouped_heads" in broken(read(tmp_path, BIASED))


def test_a_shape_that_the_ledger_gets_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xfcheck.shapes.mixers import mlp

    over = mlp.over
    monkeypatch.setattr(mlp, "over", lambda spec, at, tokens, width: over(spec, at, tokens[::-1], width))
    assert differing(read(tmp_path, BIASED)) == {"shapes"}
