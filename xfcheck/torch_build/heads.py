"""Tables at the beginning and scores at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from . import norms, positions
from .marks import Linear, Mark, Site, Weighted, fitted
from .mixers.mlp import activation

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.vocabulary import Embedding
    from .passes import Pass

WORDS = ("causal", "masked", "seq2seq", "pretraining")
"""Heads that score the vocabulary."""


class Tables(Weighted):
    """Token, position and type tables of the model or of one stack, and the map from a narrower table."""

    def __init__(self, e: Embedding, site: Site, hidden: int, *, part: str = "embedding", table: nn.Parameter | None = None) -> None:
        super().__init__(site.at("token_embedding"))
        self.embedding, width = e, hidden if e.width is None else e.width
        self.width = width
        self.table: nn.Parameter | None = None
        if e.rows:
            if table is not None:
                self.shared = [table]
                self.repeat = Mark(site.stream, None, f"token_embedding.{part}", (e.rows, width), site.uses, tied=True)
            else:
                self.table = self.tensor(part, (e.rows, width))
        kind, stored = getattr(e.position, "kind", None), getattr(e.position, "stored", "parameter")
        self.positions = None
        place: Any = e.position
        if kind == "learned" or (kind == "sinusoidal" and stored != "none"):
            kept = {"buffer": "buffer", "unsaved_parameter": "unsaved"}.get(stored, "parameter")
            self.positions = self.tensor("positions", (place.rows, place.width or width), component="position_embedding", kind=kept)
        self.types = self.tensor("types", (e.types, width)) if e.types else None
        self.map = Linear(site.at("other"), "embedding_projection", hidden, width, bias=e.projection_bias) if e.projection else None

    def lookup(self) -> torch.Tensor | None:
        """The table that token ids look into, null where this stack has none."""
        return self.shared[0] if self.table is None and hasattr(self, "shared") else self.table

    def vectors(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """Token vectors with positions and types added, mapped to the hidden size."""
        e, new = self.embedding, x.shape[1]
        kind = getattr(e.position, "kind", None)
        at = torch.arange(run.past, run.past + new, device=x.device) if run.positions is None else run.positions
        if self.positions is not None and self.positions.shape[-1] == x.shape[-1]:
            x = x + self.positions[at + e.position.offset]  # type: ignore[union-attr]
        elif kind == "sinusoidal":
            x = x + positions.sinusoid(at, x.shape[-1], x.dtype)
        if self.types is not None:
            x = x + self.types[0]
        return x

    def mapped(self, x: torch.Tensor) -> torch.Tensor:
        """To the hidden size, where the table is narrower."""
        return x if self.map is None else self.map(x)


class HeadModule(Weighted):
    """Scores of the last hidden state: of the vocabulary, of labels, of a pooled token."""

    def __init__(self, a: Architecture, table: nn.Parameter | None) -> None:
        h, hidden = a.head, a.main.hidden_size
        site = Site(h.stream, None, hidden, "head")
        super().__init__(site)
        self.head = h
        e = a.embedding
        width = h.width or (hidden if e is None or e.width is None else e.width)
        self.pooler = Linear(site.over("pooled"), "pooler", hidden, hidden, bias=True) if h.pooler else None
        self.transform = Linear(site, "transform", width, hidden, bias=h.transform_bias) if h.transform else None
        self.transform_norm = norms.maybe(site, "transform_norm", h.transform_norm, width) if h.transform else None
        if self.transform_norm is not None:
            self.transform_norm.marks = {
                k: replace(m, role=m.role.replace("norm.", "head.", 1)) for k, m in self.transform_norm.marks.items()
            }
        self.repeat: Mark | None = None
        self.bias = None
        if h.kind in WORDS or h.in_base:
            if h.tied and table is not None:
                self.shared = [table]
                self.repeat = Mark(h.stream, None, "head.head", (h.rows, width), 1, multiplies=True, tied=True)
            else:
                self.weight = self.tensor("head", (h.rows, width), multiplies=True)
            self.bias = self.tensor("head_bias", (h.rows,)) if h.bias else None
            if h.bias and h.bias_apart and not h.tied:
                own = Weighted(site)
                own.tensor("head_bias", (h.rows,))
                self.beside = own
        self.labels = self._labels(site, hidden) if h.labels else None

    def _labels(self, site: Site, hidden: int) -> Linear:
        h = self.head
        words = h.kind in ("token_classification", "question_answering") or (h.kind == "sequence_classification" and not h.pooler)
        self.per_token = words if h.per_sequence is None else not h.per_sequence
        part = "next_sentence" if h.kind in ("pretraining", "next_sentence") else "classifier"
        return Linear(site if self.per_token else site.over("pooled"), part, h.labels, hidden, bias=h.bias)

    def matrix(self) -> torch.Tensor:
        """[V, d]: its own, or the table that it shares."""
        return self.shared[0] if hasattr(self, "shared") else self.weight

    def _transformed(self, transform: Linear, x: torch.Tensor, run: Pass) -> torch.Tensor:
        return norms.apply(self.transform_norm, activation("gelu")(run.saw("transform", transform(x))))

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, V], labels where there is no vocabulary, or the hidden state itself."""
        h, out = self.head, x
        if self.transform is not None and not h.rows:  # a classifier behind the map that the scores have
            out = x = fitted(self._transformed(self.transform, x, run), x.shape[-1])
        pooled = x[:, 0]
        if h.queries:  # counted alone: what makes these vectors is no part of the head
            x[:, :1].expand(-1, h.queries, -1) @ x.transpose(1, 2)
        if self.pooler is not None:
            pooled = run.saw("pooled", torch.tanh(self.pooler(pooled)))
        labels = None if self.labels is None else run.saw("labels", self.labels(x if self.per_token else pooled))
        if h.kind in WORDS or h.in_base:
            inner = x
            if self.transform is not None:
                inner = self._transformed(self.transform, x, run)
            inner = fitted(inner, self.matrix().shape[1])
            out = torch.nn.functional.linear(inner * h.multiplier if h.multiplier != 1.0 else inner, self.matrix(), self.bias)
            if h.softcap is not None:
                out = h.softcap * torch.tanh(out / h.softcap)
            return run.saw("logits", out)
        return out if labels is None else labels
