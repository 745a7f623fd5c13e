"""Which head the class named in `architectures` has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...architecture.vocabulary import HeadKind
    from .settings import Settings

KINDS: dict[str, HeadKind] = {
    "causal": "causal",
    "masked": "masked",
    "seq2seq": "seq2seq",
    "conditional_generation": "seq2seq",
    "base": "none",
    "pretraining": "pretraining",
    "sequence_classification": "sequence_classification",
    "token_classification": "token_classification",
    "question_answering": "question_answering",
    "multiple_choice": "multiple_choice",
    "next_sentence": "next_sentence",
}
"""Head kinds of the class tables -> head kinds of an architecture."""


def head_kind(c: Settings, default: HeadKind = "causal") -> HeadKind:
    """The head of `architectures[0]`; `default` where it is absent, or of another type's class (then noted, and estimated)."""
    named = architecture_name(c)
    if named is None or c.table is None:
        return default
    kind = c.table.architectures.get(named)
    if kind is None:
        c.assume(
            "architectures", named, f"{named} is no class of {c.table.model_type} in transformers {c.table.transformers}: counted as its language model",
            estimated=True,
        )  # fmt: skip
        return default
    return KINDS.get(kind, default)


def architecture_name(c: Settings) -> str | None:
    """The first entry of `architectures`, null where it has none."""
    named = c.raw("architectures", noted=False)
    return named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None


def labels(c: Settings) -> int:
    """Rows of a classifier: the entries of id2label, else num_labels, else 2."""
    names = c.raw("id2label", noted=False)
    if isinstance(names, dict) and names:
        return len(names)
    count: Any = c.data.get("num_labels")
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 2


CLASSIFIERS = ("sequence_classification", "token_classification", "question_answering", "multiple_choice", "next_sentence")
