"""A few rows as a data loader gives them: which tokens are trained, which are padding, and whether the masks agree.

A row is a JSON object with `input_ids`, and as far as the loader has them `attention_mask`, `labels` and `position_ids`: lists of whole
numbers of one length, or lists of such lists (a batch). Labels stand at their own token, as in transformers: a causal loss shifts them
itself. Padding is where the attention mask is 0; without a mask, the run of padding ids at either end.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .documents.read import Unreadable, read_bytes
from .problems import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .rules._context import Context

IGNORED = -100
ROWS, BYTES = 10_000, 64_000_000
"""Rows and bytes of a file that are looked at."""
KEYS = ("input_ids", "attention_mask", "labels", "position_ids")


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
            f"{self.path}: {c['rows']:,} rows, {c['documents']:,} sequences, {c['tokens']:,} tokens, {c['padding']:,} padding, "
            f"{c['trained']:,} trained{share}; {c['padding_trained']:,} padding tokens trained, {ends}; "
            f"{c['rows_without_labels']:,} rows without labels, {c['fully_masked_rows']:,} fully masked"
        )


COUNTS = (
    "rows", "documents", "tokens", "padding", "trained", "padding_trained", "eos", "eos_trained", "rows_without_labels",
    "fully_masked_rows", "prompt_trained_rows", "masked_queries",
)  # fmt: skip


def sample(path: str, context: Context | None) -> Sample:
    """Read and judge a file of rows by the padding and end ids of the config and tokenizer at hand. Raises Usage where there is none."""
    out = Sample(path)
    size = None
    if context is not None and context.recipe is None:
        out.pad, out.ends, size = _ids(context)
    found: dict[str, list[int]] = {}
    for row in _rows(path, out):
        _count(out, row, found, size)
    _judge(out, found, size)
    return out


def _ids(context: Context) -> tuple[int | None, tuple[int, ...], int | None]:
    """Padding id, end ids and rows of the table; the tokenizer pads, so its own id counts first."""
    from .readers.tokenizer import tokenizer_of
    from .rules.vocabulary._ids import config_ids, embedding_rows, generation_ids

    tokenizer = tokenizer_of(context.folder)
    said, own = config_ids(context, "pad_token_id"), tokenizer.role_id("eos")
    pad = tokenizer.role_id("pad")
    stop = generation_ids(context, "eos_token_id") or config_ids(context, "eos_token_id")
    ends = {*(() if stop is None else stop.ids), *(() if own is None else (own,))}
    rows = embedding_rows(context) if context.scopes else None
    return pad if pad is not None else None if said is None else said.ids[0], tuple(sorted(ends)), None if rows is None else rows[0]


def _rows(path: str, out: Sample) -> Iterator[Row]:
    try:
        raw = read_bytes(path, BYTES)
    except Unreadable as failure:
        raise Usage(f"{path}: {failure.problem.message}") from failure
    for number, line in enumerate(raw.decode("utf-8", "replace").splitlines()[:ROWS], 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            out.remarks.append(Remark("XF901", "error", f"the row is no JSON: {error}"[:160], "", number))
            continue
        if not isinstance(data, dict) or not isinstance(data.get("input_ids"), list):
            out.remarks.append(Remark("XF901", "error", "a row is an object with input_ids", "", number))
            continue
        yield from _parts(data, number, out)


def _parts(data: dict[str, Any], number: int, out: Sample) -> Iterator[Row]:
    """The sequences of an object: one, or those of a batch."""
    ids = data["input_ids"]
    batch = ids if ids and isinstance(ids[0], list) else [ids]
    for at, sequence in enumerate(batch):
        values: dict[str, Any] = {}
        for key in KEYS:
            given = data.get(key)
            values[key] = given[at] if batch is ids and isinstance(given, list) and at < len(given) else given
        wrong = next((k for k in KEYS if values[k] is not None and not _numbers(values[k])), None)
        short = next((k for k in KEYS if values[k] is not None and wrong is None and len(values[k]) != len(sequence)), None)
        if wrong is not None:
            out.remarks.append(Remark("XF901", "error", f"{wrong} is no list of whole numbers", wrong, number))
        elif short is not None:
            said = f"{short} has {len(values[short])} entries and input_ids {len(sequence)}"
            out.remarks.append(Remark("XF901", "error", said, short, number, "one entry a token"))
        else:
            yield Row(number, *(values[key] for key in KEYS))


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, int) for v in value)


def _count(out: Sample, row: Row, found: dict[str, list[int]], size: int | None) -> None:
    ids, labels, counts = row.input_ids, row.labels, out.counts
    padded = _padding(row, out.pad)
    real = [not p for p in padded]
    counts["rows"] += 1
    counts["tokens"] += len(ids)
    counts["padding"] += sum(padded)
    counts["documents"] += _documents(row, real, found)
    if ids and not any(real):
        counts["fully_masked_rows"] += 1
        found.setdefault("masked", []).append(row.line)
    elif padded[:1] == [True]:
        counts["masked_queries"] += real.index(True)
        found.setdefault("left", []).append(row.line)
    if any(i < 0 or (size is not None and i >= size) for i in ids):
        found.setdefault("range", []).append(row.line)
    ends = [at for at, i in enumerate(ids) if i in out.ends and real[at]]
    counts["eos"] += len(ends)
    if labels is None:
        return
    trained = [label != IGNORED for label in labels]
    counts["trained"] += sum(trained)
    counts["padding_trained"] += sum(t and p for t, p in zip(trained, padded, strict=True))
    counts["eos_trained"] += sum(trained[at] for at in ends)
    if not any(trained[1:]):
        counts["rows_without_labels"] += 1
        found.setdefault("empty", []).append(row.line)
    elif all(t for t, r in zip(trained[1:], real[1:], strict=True) if r):
        counts["prompt_trained_rows"] += 1
        found.setdefault("prompt", []).append(row.line)
    if any(t and p for t, p in zip(trained, padded, strict=True)):
        found.setdefault("padding", []).append(row.line)
    if any(label < 0 and label != IGNORED for label in labels):
        found.setdefault("index", []).append(row.line)
    differ = sum(t and label != i for t, label, i in zip(trained, labels, ids, strict=True))
    ahead = sum(t and label == i for t, label, i in zip(trained, labels, ids[1:], strict=False))
    if differ and 2 * differ > sum(trained) and 4 * ahead > 3 * sum(trained):
        found.setdefault("shifted", []).append(row.line)


def _padding(row: Row, pad: int | None) -> list[bool]:
    if row.attention_mask is not None:
        return [m == 0 for m in row.attention_mask]
    ids, out = row.input_ids, [False] * len(row.input_ids)
    if pad is None:
        return out
    end = len(ids)
    while end > 0 and ids[end - 1] == pad:
        end -= 1
    start = 0
    while start < end and ids[start] == pad:
        start += 1
    # one padding id at the end may be an end token of the text
    return [at < start or at >= end for at in range(len(ids))] if (start or len(ids) - end > 1) else out


def _documents(row: Row, real: list[bool], found: dict[str, list[int]]) -> int:
    """How many documents the row packs, by restarted positions or an indexed mask."""
    mask, positions = row.attention_mask, row.position_ids
    indexed = len({m for m in mask or () if m > 0})
    if positions is not None:
        kept = [p for p, r in zip(positions, real, strict=True) if r]
        starts = [at for at in range(1, len(kept)) if kept[at] != kept[at - 1] + 1]
        if any(kept[at] != 0 for at in starts):
            found.setdefault("positions", []).append(row.line)
        elif starts and mask is not None and indexed == 1:
            found.setdefault("ones", []).append(row.line)
        elif indexed > 1 and len(starts) + 1 < indexed:
            found.setdefault("run on", []).append(row.line)
        return max(len(starts) + 1, indexed)
    if indexed > 1:
        found.setdefault("run on", []).append(row.line)
    return max(1, indexed)


def _judge(out: Sample, found: dict[str, list[int]], size: int | None) -> None:
    counts, rows = out.counts, out.counts["rows"]

    def say(kind: str, code: str, severity: str, message: str, key: str, help: str | None = None) -> None:
        lines = found.get(kind)
        if lines:
            many = f" ({len(lines)} of {rows} rows)" if rows > 1 else ""
            out.remarks.append(Remark(code, severity, message + many, key, lines[0], help))

    say(
        "padding",
        "XF201",
        "error",
        f"{counts['padding_trained']} padding tokens are trained",
        "labels",
        "-100 where the attention mask is 0",
    )
    say(
        "empty", "XF206", "error", "no token is trained: every label is -100", "labels", "shorter prompts, or a mask that leaves the answer"
    )
    say("masked", "XF203", "error", "the attention mask is 0 throughout", "attention_mask", "leave such rows out")
    say("left", "XF203", "info", f"padding stands on the left: {counts['masked_queries']} positions attend to nothing under a causal mask",
        "attention_mask", "right padding in training")  # fmt: skip
    say(
        "prompt",
        "XF218",
        "info",
        "every token is trained, the prompt too",
        "labels",
        "-100 on the prompt, where only answers are to be learned",
    )
    say("index", "XF208", "warning", "a negative label other than -100", "labels", "-100")
    say(
        "range",
        "XF601",
        "error",
        "a token id that the embedding table has no row for" + (f" (0 to {size - 1})" if size else ""),
        "input_ids",
    )
    again = "labels are shifted already: a causal loss shifts them again, and trains each token to give the next but one"
    say("shifted", "XF214", "warning", again, "labels", "labels at their own tokens")
    say("positions", "XF205", "warning", "position_ids neither go on by one nor restart at 0", "position_ids")
    joined = "positions restart inside a row whose attention mask is all ones: packed documents attend to one another"
    say("ones", "XF205", "warning", joined, "attention_mask", "no attention_mask, or one number a document, and flash attention")
    say(
        "run on",
        "XF205",
        "warning",
        "the attention mask numbers several documents and the positions run on",
        "position_ids",
        "restart them",
    )
    labelled = counts["trained"] > 0
    if out.ends and labelled and not counts["eos_trained"]:
        said = f"none of {counts['eos']} end tokens is trained" if counts["eos"] else "no row holds an end token"
        same = out.pad is not None and out.pad in out.ends
        why = ": the padding id is the end id, and labels seem to be masked by it" if same and counts["eos"] else ""
        out.remarks.append(Remark("XF201" if why else "XF213", "warning", said + why, "labels", 1, "a trained end token after each answer"))
