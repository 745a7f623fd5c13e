"""Positions as rows of a table added to the token embedding."""

from typing import Literal

from ..part import Part


class Learned(Part):
    """A trained table of `rows` positions, the first `offset` of which no token uses (2 in BART and OPT, pad + 1 in RoBERTa)."""

    kind: Literal["learned"] = "learned"
    rows: int
    offset: int = 0
    width: int | None = None


class Sinusoidal(Part):
    """The fixed table of Vaswani et al. 2017, section 3.5. `stored`: a parameter of the checkpoint, a buffer, or recomputed."""

    kind: Literal["sinusoidal"] = "sinusoidal"
    rows: int | None = None
    offset: int = 0
    width: int | None = None
    stored: Literal["parameter", "unsaved_parameter", "buffer", "none"] = "none"
