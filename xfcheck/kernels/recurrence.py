"""One linear recurrence: what linear attention and state space mixers come down to, and the FLOPs and bytes that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Recurrence:
    """S[t] = a[t] S[t - 1] + k[t] u[t], out[t] = q[t] S[t], for `batch` sequences of n tokens and `heads` states `[key_dim, value_dim]`.

    Tensors: query and key `[batch, groups, n, key_dim]` (B and C of a state space), value `[batch, heads, n, value_dim]`, the logarithm of
    the decay a `[batch, heads, n, 1]` (`decay` is `head`), `[batch, heads, n, key_dim]` (`channel`) or none. u is the value; with `delta`
    it is rate[t] (value - k a S) with a rate `[batch, heads, n, 1]`. Decays, rates and states are 32 bits (or the case's, if wider), as
    the models keep them. `past` tokens stand behind the state that the pass begins with: none in a prefill. `chunk` is the block of the
    forms that work in blocks. The projections, the convolution, gates and norms around the recurrence are not part of it.
    """

    family: ClassVar[str] = "recurrence"
    phase: str
    batch: int
    query_length: int
    past: int
    heads: int
    groups: int
    key_dim: int
    value_dim: int
    dtype: str
    decay: str = "head"
    delta: bool = False
    chunk: int = 64
    layers: int = 1
    variant: str = "as written"
    mixer: str = "linear_attention"
    decodes: bool = True
    memory: bool = False

    @property
    def key_length(self) -> int:
        """Tokens that the last state holds."""
        return self.past + self.query_length

    @property
    def state(self) -> int:
        """Elements of the state of one sequence."""
        return self.heads * self.key_dim * self.value_dim

    def flops(self, direction: str) -> int:
        """FLOPs of the recurrence token by token: 2 an element of the state to write it and 2 to read it, 2 more with `delta`.

        Decays count nothing. The backward pass is two products for each one of the forward pass. Forms in blocks do more, which is not
        counted: so a figure compares forms by their time.
        """
        once = (6 if self.delta else 4) * self.batch * self.query_length * self.state
        return once if direction == "forward" else 2 * once

    def bytes(self, direction: str) -> int:
        """Bytes that must move at least: query, key, value, decay, rate and output once, and a state that was there before and after.

        Backward these once more, for the gradients, without the state.
        """
        from ..accounting.dtypes import WIDTHS

        width = int(WIDTHS[self.dtype])
        wide = max(width, 4)
        decays = {"none": 0, "head": 1, "channel": self.key_dim}[self.decay] + int(self.delta)
        tokens = self.query_length * (
            (2 * self.groups * self.key_dim + 2 * self.heads * self.value_dim) * width + self.heads * decays * wide
        )
        kept = 2 * self.state * wide if self.past else 0
        return self.batch * (tokens + kept if direction == "forward" else 2 * tokens)

    def simplified(self) -> Recurrence:
        """Itself: there is no mask."""
        return self

    def row(self, direction: str) -> dict[str, Any]:
        """What a report says of the case; `query_heads` are those of the states, `kv_heads` those of keys and queries."""
        return {
            "direction": direction, "phase": self.phase, "mixer": self.mixer, "variant": self.variant, "dtype": self.dtype,
            "batch": self.batch, "query_length": self.query_length, "key_length": self.key_length, "query_heads": self.heads,
            "kv_heads": self.groups, "head_dim": self.key_dim, "value_dim": self.value_dim, "causal": True, "mask": "recurrent",
            "window": None, "prefix": None, "layers": self.layers,
        }  # fmt: skip
