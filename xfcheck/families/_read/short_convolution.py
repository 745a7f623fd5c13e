"""What the LFM2 models read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.mixers.short_convolution import ShortConvolution
from ...architecture.norm import Norm
from .decoder import attention, head_dim
from .rotary import rotary

if TYPE_CHECKING:
    from ...architecture.masks import Mask
    from ...architecture.mixers.attention import Attention
    from .decoder import Biased
    from .settings import Settings


def short_convolution(c: Settings, hidden: int) -> ShortConvolution:
    """The gated convolution of `conv_L_cache` taps."""
    return ShortConvolution(channels=hidden, kernel=c.int("conv_L_cache"), bias=c.flag("conv_bias"))


def normed_attention(c: Settings, hidden: int, mask: Mask, *, biases: list[Biased] | None = None, kind: str | None = None) -> Attention:
    """Grouped-query attention with norms a head on queries and keys; `kind` names the layer's block of rotary parameters."""
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    norm = Norm(eps=c.number("norm_eps"), size=width)
    return attention(
        c, hidden, mask=mask, position=rotary(c, width, layer_type=kind), biases=biases, query_norm=norm, key_norm=norm, width=width
    )


def tied(c: Settings) -> bool:
    """Whether the head is the table: an older `tie_embedding` in the file beats `tie_word_embeddings`."""
    return c.flag("tie_embedding") if c.data.get("tie_embedding") is not None else c.flag("tie_word_embeddings")
