"""Rotary position embedding (Su et al. 2021, arXiv 2104.09864) and its scalings."""

from typing import Literal

from ..part import Part


class Scaling(Part):
    """A change of the rotary frequencies for contexts beyond the trained length.

    `kind` is the reader's name (`linear`, `dynamic`, `yarn`, `longrope`, `llama3`, `proportional`, ...), `factor` the stretch,
    `original_length` the trained length in tokens.
    """

    kind: str
    factor: float | None = None
    original_length: int | None = None
    low_freq_factor: float | None = None
    high_freq_factor: float | None = None
    attention_factor: float | None = None
    beta_fast: float | None = None
    beta_slow: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None
    short_factor: list[float] | None = None
    long_factor: list[float] | None = None


class Rotary(Part):
    """Queries and keys turned by an angle that grows with the position.

    `theta` the base, `width` the dimensions of a head that turn (all, or the first `partial` of them), `layout` whether a pair is
    the two halves or neighbours, `sections` the split of the pairs over time, height and width (M-RoPE).
    """

    kind: Literal["rotary"] = "rotary"
    theta: float | None = None
    width: int | None = None
    layout: Literal["half", "interleaved"] = "half"
    scaling: Scaling | None = None
    sections: list[int] | None = None
