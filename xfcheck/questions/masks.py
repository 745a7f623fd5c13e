"""Question 2: which keys a query sees, and which tokens are trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answer import Answer, from_key, of_class, setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Model
    from ..rules._context import Context, Scope

QUESTION = "Which pairs does the attention mask leave, and which tokens does the loss count?"


def answers(context: Context, model: Model, scope: Scope) -> Iterator[Answer]:
    """The masks of the architecture; what training does with tokens, which only xfcheck.yaml can say."""
    for stack in model.architecture.stacks:
        for block in stack.blocks:
            for sublayer in block.sublayers:
                for mixer in sublayer.mixers:
                    spec: Any = mixer
                    if getattr(spec, "mask", None) is None:
                        continue
                    where = f"{stack.stream} layers {block.layers}"
                    if spec.mask.window is not None:
                        yield from_key(
                            context,
                            scope,
                            f"mask of {where}",
                            f"{spec.mask.kind}, window {spec.mask.window}",
                            "sliding_window",
                            "attention_chunk_size",
                            "index_topk",
                        )
                    else:
                        yield of_class(scope, f"mask of {where}", spec.mask.kind)
    for key, field in (
        ("loss", "loss"),
        ("loss_mask", "loss mask"),
        ("packing", "packing"),
        ("padding_side", "padding side"),
        ("attention", "attention kernel in training"),
    ):
        yield setting(context, "train", key, field)
