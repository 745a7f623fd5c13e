"""Layers that predict further tokens than the next: multi-token prediction (DeepSeek-V3, arXiv 2412.19437, section 2.2)."""

from typing import Literal

from .blocks import Block
from .norm import Norm
from .part import Part


class Draft(Part):
    """Draft layers that published checkpoints hold and the reference does not build: stored, never executed, no parameters of the model.

    `block` is one decoder block; its `layers` are the indices that stand in the tensors' names. Before it the normalised embedding of the
    next token and the normalised hidden state are joined and mapped: projection `[d, 2 d]`, norms `[d]` each; `head_norm` comes after.
    `per_layer`: these maps are stored once a layer, else once for all. `copies`: tables of the model that the checkpoint stores again,
    once a layer. `bias`: the projection has one.
    """

    block: Block
    norm: Norm
    head_norm: Norm | None = None
    per_layer: bool = True
    bias: bool = False
    copies: list[Literal["embedding", "head"]] = []
