"""Question 6: the vocabulary against the tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        yield Answer("tokenizer length", length, Evidence("file", "highest token id + 1", "tokenizer.json", None, None, length))
    for key in ("bos_token_id", "eos_token_id", "pad_token_id"):
        # generation reads the ids of the whole first
        holder = context.root if context.root.has(key) else scope
        value = holder.value(key)
        if value is None:
            yield unanswered(key, f"{key} in the config")
        else:
            yield from_key(context, holder, key, value, key)


def tokenizer_length(context: Context) -> int | None:
    """Highest token id + 1 over the vocabulary and the added tokens, null where the vocabulary is not at hand."""
    from ..readers.tokenizer import tokenizer_of

    return tokenizer_of(context.folder).length
