"""What is said of faults that rows have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .records import Remark

if TYPE_CHECKING:
    from .records import Sample


class Fault(NamedTuple):
    """What is said of one kind of fault; the message may name counts, and `ids` (which token ids there are)."""

    kind: str
    code: str
    severity: str
    message: str
    key: str
    help: str | None = None


FAULTS = (
    Fault("padding", "XF201", "error", "{padding_trained} padding tokens are trained", "labels", "-100 where the attention mask is 0"),
    Fault(
        "empty", "XF206", "error", "no token is trained: every label is -100", "labels", "shorter prompts, or a mask that leaves the answer"
    ),
    Fault("masked", "XF203", "error", "the attention mask is 0 throughout", "attention_mask", "leave such rows out"),
    Fault(
        "left",
        "XF203",
        "info",
        "padding stands on the left: {masked_queries} positions attend to nothing under a causal mask",
        "attention_mask",
        "right padding in training",
    ),
    Fault(
        "prompt",
        "XF218",
        "info",
        "every token is trained, the prompt too",
        "labels",
        "-100 on the prompt, where only answers are to be learned",
    ),
    Fault("index", "XF208", "warning", "a negative label other than -100", "labels", "-100"),
    Fault("range", "XF601", "error", "a token id that the embedding table has no row for{ids}", "input_ids"),
    Fault(
        "shifted",
        "XF214",
        "warning",
        "labels are shifted already: a causal loss shifts them again, and trains each token to give the next but one",
        "labels",
        "labels at their own tokens",
    ),
    Fault("positions", "XF205", "warning", "position_ids neither go on by one nor restart at 0", "position_ids"),
    Fault(
        "ones",
        "XF205",
        "warning",
        "positions restart inside a row whose attention mask is all ones: packed documents attend to one another",
        "attention_mask",
        "no attention_mask, or one number a document, and flash attention",
    ),
    Fault(
        "run on",
        "XF205",
        "warning",
        "the attention mask numbers several documents and the positions run on",
        "position_ids",
        "restart them",
    ),
)
"""In the order in which they are said."""


def judge(out: Sample, found: dict[str, list[int]], size: int | None) -> None:
    """Add the remarks on the faults found; `size`: rows of the embedding table."""
    counts, rows = out.counts, out.counts["rows"]
    values = {"padding_trained": counts["padding_trained"], "masked_queries": counts["masked_queries"]}
    for fault in FAULTS:
        lines = found.get(fault.kind)
        if lines:
            message = fault.message.format(**values, ids=f" (0 to {size - 1})" if size else "")
            many = f" ({len(lines)} of {rows} rows)" if rows > 1 else ""
            out.remarks.append(Remark(fault.code, fault.severity, message + many, fault.key, lines[0], fault.help))
    if out.ends and counts["trained"] > 0 and not counts["eos_trained"]:
        out.remarks.append(_untrained_end(out))


def _untrained_end(out: Sample) -> Remark:
    """Labels, but none on an end token."""
    held = out.counts["eos"]
    said = f"none of {held} end tokens is trained" if held else "no row holds an end token"
    same = out.pad is not None and out.pad in out.ends
    why = ": the padding id is the end id, and labels seem to be masked by it" if same and held else ""
    return Remark("XF201" if why else "XF213", "warning", said + why, "labels", 1, "a trained end token after each answer")
