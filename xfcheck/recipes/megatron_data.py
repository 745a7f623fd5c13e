"""What tools on Megatron's data sets share: NeMo's keys of a data set, batches counted in rows, the balancing of experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recipe import Found, Recipe

BALANCED = ("aux_loss", "seq_aux_loss", "global_aux_loss")
"""Kinds of balancing that are a loss with a coefficient."""


def cut_answers(out: Recipe, cut: Found | None, label: Found | None, *, trained: bool) -> None:
    """A field that gives way to the length and is the answer (`truncation_field`, `label_key`); `trained`: so is the prompt."""
    answer = "output" if label is None else label.value
    if cut is not None and not trained and answer in [name.strip() for name in cut.value.split(",")]:
        said = f"truncation_field {cut.value} cuts the answer: where the prompt fills the length, no label is left"
        out.note("XF206", said, cut, "the field of the prompt (truncation_field: input)", "warning")


def counts_packs(out: Recipe, rows: Found | None) -> None:
    """Rows of a global batch that hold several samples each."""
    if rows is not None:
        said = "global_batch_size counts packs, each of several samples: steps an epoch and the learning rate are those of another batch"
        out.note("XF220", said, rows, "global_batch_size divided by the samples of a pack")


def mean_of_means(out: Recipe, rows: Found | None, micro: Found | None, what: str, help: str) -> None:
    """A global batch of several micro batches, each of which has a mean loss of its own over `what` (rows, samples)."""
    if rows is not None and micro is not None and micro.value < rows.value:
        said = f"the mean of the means of micro batches: {what} with few trained tokens weigh more"
        out.note("XF209", said, rows, help, "info")


def unbalanced(out: Recipe, kind: str, at: Found, zero: str, help: str) -> None:
    """A loss that is to balance experts and is multiplied by 0."""
    if kind in BALANCED:
        out.note("XF517", f"load balancing {kind} with a coefficient of {zero}: nothing balances the experts", at, help)
