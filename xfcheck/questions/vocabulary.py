"""Question 6: the vocabulary against the tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answer import Answer, Evidence, from_key, unanswered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Model
    from ..rules._context import Context, Scope

QUESTION = "How many rows has the vocabulary, how many tokens the tokenizer, which are the special ids?"


def answers(context: Context, model: Model, scope: Scope) -> Iterator[Answer]:
    """Rows, tokenizer length and special ids."""
    if model.architecture.embedding is not None:
        yield from_key(context, scope, "vocabulary rows", model.architecture.embedding.rows, "vocab_size")
    length = tokenizer_length(context)
    if length is None:
        yield unanswered("tokenizer length", "tokenizer.json")
    else:
        yield Answer("tokenizer length", length, Evidence("file", "tokenizer.json: highest token id + 1", "tokenizer.json", None, None, length))
    for key in ("bos_token_id", "eos_token_id", "pad_token_id"):
        value = scope.value(key)
        if value is None:
            yield unanswered(key, f"{key} in the config")
        else:
            yield from_key(context, scope, key, value, key)


def tokenizer_length(context: Context) -> int | None:
    """Highest token id + 1 over vocabulary and added tokens of tokenizer.json, null where it is not at hand."""
    data: Any = context.side("tokenizer.json")
    if not isinstance(data, dict):
        return None
    held = data.get("model")
    vocabulary: Any = held.get("vocab") if isinstance(held, dict) else None
    ids = [i for i in vocabulary.values() if isinstance(i, int)] if isinstance(vocabulary, dict) else list(range(len(vocabulary))) if isinstance(vocabulary, list) else []
    added = data.get("added_tokens")
    ids += [t["id"] for t in added if isinstance(t, dict) and isinstance(t.get("id"), int)] if isinstance(added, list) else []
    return max(ids) + 1 if ids else None
