"""Trained vectors before every sequence (CPM-Ant): they pass in the first pass, and are kept."""

from __future__ import annotations

from xfcheck.accounting.run import Run
from xfcheck.architecture.blocks import Padding

PADDING = {"text": Padding(prompts=32)}


def test_the_first_pass_takes_the_prompts_along() -> None:
    """Two sequences of 16 tokens are 2 * (16 + 32) vectors, and 48 queries see 48 keys; the head reads the 2 * 16 given ones."""
    run = Run(batch=2, new=16, padding=PADDING)
    assert run.tokens("text") == 96
    assert run.length("text") == (48, 0)
    assert run.tokens("given") == 32


def test_a_later_pass_only_sees_them() -> None:
    """One token after 16: one query, 16 + 32 keys before it."""
    run = Run(batch=2, new=1, past=16, padding=PADDING)
    assert run.tokens("text") == 2
    assert run.length("text") == (1, 48)


def test_streams_without_prompts_are_as_before() -> None:
    """The padding of one stream does not reach another."""
    run = Run(batch=1, new=4, past=8, padding=PADDING)
    assert run.length("decoder") == (4, 8)
