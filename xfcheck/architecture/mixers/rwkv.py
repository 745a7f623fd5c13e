"""The two mixers of RWKV-4 (Peng et al. 2023, arXiv 2305.13048)."""

from typing import ClassVar, Literal

from ..part import Mixer


class TimeMix(Mixer):
    """Key, value and receptance from a mixture of the token and the one before it; a decayed mean of values, weighted by the keys.

    Matrices `[width, d]` and an output `[d, width]`; a decay and a first-token bonus a channel, three mixing vectors. State a layer,
    whatever the length: the last token in the model's dtype; numerator, denominator and maximum in 32 bits.
    """

    component: ClassVar[str] = "linear_attention"
    kind: Literal["time_mix"] = "time_mix"
    width: int


class ChannelMix(Mixer):
    """`sigmoid(receptance(x)) * value(relu(key(x))^2)` over a mixture of the token and the one before it.

    State a layer: the last token, `width` elements.
    """

    component: ClassVar[str] = "mlp"
    kind: Literal["channel_mix"] = "channel_mix"
    width: int
    intermediate_size: int
