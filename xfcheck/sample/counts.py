"""What one row adds to the counts, and which faults it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .records import IGNORED

if TYPE_CHECKING:
    from .records import Row, Sample


def count(out: Sample, row: Row, found: dict[str, list[int]], size: int | None) -> None:
    """Add a row to the counts of `out`, and its line to the kinds of fault in `found`; `size`: rows of the embedding table."""
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
