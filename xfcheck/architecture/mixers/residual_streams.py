"""Residual streams mixed by what each token computes (hyper-connections, arXiv 2409.19606; alternating updates, arXiv 2301.13310)."""

from typing import ClassVar, Literal

from ..part import Mixer


class ResidualStreams(Mixer):
    """The product of `streams` vectors of `width` with a streams x streams matrix a token, which the sublayer's projections compute."""

    component: ClassVar[str] = "other"
    kind: Literal["residual_streams"] = "residual_streams"
    streams: int
    width: int
