"""A few rows as a data loader gives them: which tokens are trained, which are padding, and whether the masks agree.

A row is a JSON object with `input_ids`, and as far as the loader has them `attention_mask`, `labels` and `position_ids`: lists of whole
numbers of one length, or lists of such lists (a batch). Labels stand at their own token, as in transformers: a causal loss shifts them
itself. Padding is where the attention mask is 0; without a mask, the run of padding ids at either end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .counts import count
from .faults import judge
from .records import Sample
from .rows import rows_of

if TYPE_CHECKING:
    from ..rules._context import Context

__all__ = ["Sample", "sample"]


def sample(path: str, context: Context | None) -> Sample:
    """Read and judge a file of rows by the padding and end ids of the config and tokenizer at hand. Raises Usage where there is none."""
    out = Sample(path)
    size = None
    if context is not None and context.recipe is None:
        out.pad, out.ends, size = _ids(context)
    found: dict[str, list[int]] = {}
    for row in rows_of(path, out):
        count(out, row, found, size)
    judge(out, found, size)
    return out


def _ids(context: Context) -> tuple[int | None, tuple[int, ...], int | None]:
    """Padding id, end ids and rows of the table; the tokenizer pads, so its own id counts first."""
    from ..readers.tokenizer import tokenizer_of
    from ..rules.vocabulary._ids import config_ids, embedding_rows, generation_ids

    tokenizer = tokenizer_of(context.folder)
    said, own = config_ids(context, "pad_token_id"), tokenizer.role_id("eos")
    pad = tokenizer.role_id("pad")
    stop = generation_ids(context, "eos_token_id") or config_ids(context, "eos_token_id")
    ends = {*(() if stop is None else stop.ids), *(() if own is None else (own,))}
    rows = embedding_rows(context) if context.scopes else None
    return pad if pad is not None else None if said is None else said.ids[0], tuple(sorted(ends)), None if rows is None else rows[0]
