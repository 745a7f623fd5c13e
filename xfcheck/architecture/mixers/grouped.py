"""Maps in groups of channels, as convolutions of one tap or as products of blocks."""

from typing import Literal

from .attention import Attention
from .mlp import MLP


class GroupedAttention(Attention):
    """Attention whose maps are convolutions of one tap in groups, `[out, in / groups, 1]` (SqueezeBERT, arXiv 2006.11316)."""

    kind: Literal["grouped_attention"] = "grouped_attention"  # type: ignore[assignment]
    query_groups: int = 1
    key_groups: int = 1
    value_groups: int = 1
    output_groups: int = 1


class GroupedMLP(MLP):
    """An ungated network whose maps work in groups of channels.

    `storage`: convolutions `[out, in / groups, 1]`, or `blocks` `[groups, in / groups, out / groups]` (ConvBERT).
    """

    kind: Literal["grouped_mlp"] = "grouped_mlp"  # type: ignore[assignment]
    groups: int = 1
    output_groups: int = 1
    storage: Literal["convolution", "blocks"] = "convolution"
