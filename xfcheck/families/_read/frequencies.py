"""Rotary frequencies that a checkpoint stores, a buffer a layer: half as many numbers as dimensions turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Projection

if TYPE_CHECKING:
    from ...architecture.blocks import Block, Stack, Sublayer


def storing(stack: Stack) -> Stack:
    """The stack with a buffer `frequencies` beside each attention of rotary positions, in 32 bits."""
    return stack.model_copy(update={"blocks": [_block(block) for block in stack.blocks]})


def _block(block: Block) -> Block:
    return block.model_copy(update={"sublayers": [_step(step) for step in block.sublayers]})


def _step(step: Sublayer) -> Sublayer:
    turned = next((m.position.width for m in step.mixers if getattr(getattr(m, "position", None), "kind", "") == "rotary"), None)  # type: ignore[attr-defined]
    if turned is None:
        return step
    kept = Projection(name="frequencies", shape=[turned // 2], multiplies=False, buffer=True, dtype="float32")
    return step.model_copy(update={"projections": [*step.projections, kept]})
