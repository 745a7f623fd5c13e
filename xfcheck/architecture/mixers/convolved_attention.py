"""Compressed convolutional attention (arXiv 2510.04476): queries and keys mixed over a few tokens, half of each value a token late."""

from typing import ClassVar, Literal

from .attention import Attention


class ConvolvedAttention(Attention):
    """Grouped-query attention behind two causal convolutions over queries and keys, both with biases.

    The first is depthwise, of `depthwise_kernel` taps; the second, of `grouped_kernel` taps, has a group a head: `[(H_q + H_kv) * head_dim,
    head_dim, taps]`. Values come from two matrices of half the width, one of which reads the token before. Keys are scaled by a
    trained number a key-value head. State beside keys and values: the taps before a token of all queries and keys, and half a value.
    """

    component: ClassVar[str] = "attention"
    kind: Literal["convolved_attention"] = "convolved_attention"  # type: ignore[assignment]
    depthwise_kernel: int
    grouped_kernel: int

    @property
    def channels(self) -> int:
        """Width of all queries and keys."""
        return (self.query_heads + self.kv_heads) * self.head_dim

    @property
    def columns(self) -> int:
        """Tokens before the new ones that the convolutions read."""
        return self.depthwise_kernel + self.grouped_kernel - 2
