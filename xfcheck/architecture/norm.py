"""Normalisation: chapter question 4."""

from typing import Literal

from .part import Part


class Norm(Part):
    """One normalisation.

    `kind`: root mean square (`rms`), mean and variance (`layer`), `group` RMS of `groups` slices, `l2` (no weight).
    `size`: the width of its weight where it is not the width of what it normalises (a head_dim for per-head query norms).
    `heads`: that many weights of `size`, stored as one tensor `[heads, size]` (Cohere) or one tensor a head (StableLM, by its names).
    `weight` and `bias`: whether it has them; `unit_offset`: the weight is stored as an offset from one (Gemma's 1 + w).
    """

    kind: Literal["rms", "layer", "group", "l2"] = "rms"
    eps: float | None = None
    size: int | None = None
    heads: int | None = None
    weight: bool = True
    bias: bool = False
    unit_offset: bool = False
    groups: int | None = None
