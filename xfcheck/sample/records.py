"""A row, what is counted over rows, and what is said of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

IGNORED = -100
"""The label that a loss leaves out."""


class Row(NamedTuple):
    """One sequence. `line` is that of its object in the file; what the loader does not give is null."""

    line: int
    input_ids: list[int]
    attention_mask: list[int] | None
    labels: list[int] | None
    position_ids: list[int] | None


class Remark(NamedTuple):
    """Something that a rule says of the rows: its code, severity, message, key, first line, and what would be right."""

    code: str
    severity: str
    message: str
    key: str
    line: int
    help: str | None = None


@dataclass(slots=True)
class Sample:
    """Counts over all rows, and what is amiss.

    Tokens: `tokens` in all, `padding`, `trained` (their label is not -100), `padding_trained`, `eos` (end tokens that are no padding),
    `eos_trained`. Rows: `rows_without_labels` (nothing is trained), `fully_masked_rows` (the attention mask is 0 throughout),
    `prompt_trained_rows` (every token is trained). `masked_queries`: positions before the first key, which attend to nothing under a causal
    mask. `documents`: sequences in all, packed ones apart.
    """

    path: str
    pad: int | None = None
    ends: tuple[int, ...] = ()
    counts: Counter[str] = field(default_factory=Counter)
    remarks: list[Remark] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The object of a report."""
        trained, tokens = self.counts["trained"], self.counts["tokens"] - self.counts["padding"]
        return {
            "path": self.path, "pad_token_id": self.pad, "eos_token_id": list(self.ends), **{name: self.counts[name] for name in COUNTS},
            "trained_fraction": round(trained / tokens, 6) if tokens else None,
        }  # fmt: skip

    def text(self) -> str:
        """The counts in words."""
        c = self.counts
        share = f" ({c['trained'] / (c['tokens'] - c['padding']):.1%} of what is no padding)" if c["tokens"] > c["padding"] else ""
        ends = f"{c['eos_trained']:,} of {c['eos']:,} end tokens trained" if self.ends else "end tokens not known"
        return (
            f"{self.path}: {_many(c['rows'], 'row')}, {_many(c['documents'], 'sequence')}, {_many(c['tokens'], 'token')}, "
            f"{c['padding']:,} padding, {c['trained']:,} trained{share}; {_many(c['padding_trained'], 'padding token')} trained, {ends}; "
            f"{_many(c['rows_without_labels'], 'row')} without labels, {c['fully_masked_rows']:,} fully masked"
        )


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


COUNTS = (
    "rows", "documents", "tokens", "padding", "trained", "padding_trained", "eos", "eos_trained", "rows_without_labels",
    "fully_masked_rows", "prompt_trained_rows", "masked_queries",
)  # fmt: skip
