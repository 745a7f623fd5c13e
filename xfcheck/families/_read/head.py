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
    "speech_seq2seq": "seq2seq",
    "base": "none",
    "pretraining": "pretraining",
    "sequence_classification": "sequence_classification",
    "token_classification": "token_classification",
    "question_answering": "question_answering",
    "document_question_answering": "question_answering",
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
            "architectures", named, f"{named} is no class of {c.table.model_type} in {c.table.source}: counted as its language model",
            estimated=True,
        )  # fmt: skip
        return default
    if kind not in KINDS:
        c.assume("architectures", named, f"{named} has a head that is not described here: counted as the language model", estimated=True)
    return KINDS.get(kind, default)


def head_prefix(c: Settings) -> str | None:
    """The name under which the class of `architectures[0]` holds the bare model, null where it is the language-model class's."""
    table, named = c.table, architecture_name(c)
    if table is None or named is None:
        return None
    usual = {table.models.get(name, {}).get("prefix") for name, kind in table.architectures.items() if kind == "causal"}
    own = table.models.get(named, {}).get("prefix")
    return None if own is None or own in usual or not usual else str(own)


def classifier_bias(c: Settings, kind: HeadKind) -> bool:
    """Whether a decoder's classifier has a bias (modeling_layers.py of transformers 5.24): over tokens and answers, not sequences."""
    return kind != "sequence_classification" and (kind != "token_classification" or c.flag("token_classification_bias", True))


def architecture_name(c: Settings) -> str | None:
    """The first entry of `architectures`, null where it has none."""
    named = c.raw("architectures", noted=False)
    return named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None


def named_kind(c: Settings) -> str | None:
    """The class table's head kind of the first entry of `architectures`, null where it has none or the table does not know it."""
    named = architecture_name(c)
    return None if named is None or c.table is None else c.table.architectures.get(named)


def labels(c: Settings, default: int = 2) -> int:
    """Rows of a classifier: the entries of id2label, else num_labels, else `default`."""
    names = c.raw("id2label", noted=False)
    if isinstance(names, dict) and names:
        return len(names)
    count: Any = c.data.get("num_labels")
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else default


CLASSIFIERS = ("sequence_classification", "token_classification", "question_answering", "multiple_choice", "next_sentence")
