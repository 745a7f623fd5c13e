"""Mixing without weights by a Fourier transform (Lee-Thorp et al. 2021, arXiv 2105.03824)."""

from typing import ClassVar, Literal

from ..part import Mixer


class Fourier(Mixer):
    """The real part of a two-dimensional discrete Fourier transform over tokens and channels. No weights."""

    component: ClassVar[str] = "other"
    kind: Literal["fourier"] = "fourier"
