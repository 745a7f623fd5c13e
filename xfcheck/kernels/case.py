"""One attention problem: its shapes, and the FLOPs and bytes that it stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..accounting.pairs import visible
from ..architecture.masks import Mask

PASSES = {"forward": (1, 1), "backward": (3, 2)}
"""Direction -> products over d_qk and over d_v: scores and values; the scores again, dQ and dK, and dP and dV."""
BIDIRECTIONAL = ("bidirectional", "local")
BLOCKED = ("chunked", "document")
KINDS = ("causal", "sliding", "prefix", *BLOCKED, *BIDIRECTIONAL)
"""Masks that are measured, as `architecture.masks` names them; a packed document is a chunk of `window` tokens."""


@dataclass(frozen=True, slots=True)
class Case:
    """Attention of `batch` sequences: `query_length` queries, the last of `key_length` keys (lower-right aligned).

    Tensors: query `[batch, query_heads, n, head_dim]`, key `[batch, kv_heads, m, head_dim]`, value `[batch, kv_heads, m, value_dim]`.
    `kind` is the mask: `sliding` sees the last `window` keys, a query's own included; `local` `window` keys to either side; `chunked` and
    `document` what is causal inside blocks of `window`; `prefix` all of the first `prefix` keys and what is causal. `softcap` bounds the
    scores by c * tanh(s / c), before the mask. `scale` null is head_dim ** -0.5. `latent`: keys are latents with a rotary part, and a value
    is the first value_dim columns of its key. `memory`: keys come from another stream, whose length is not the context. `decodes`:
    whether there are steps of few queries. `layers`: how many layers of the config are alike. `phase` names what it stands for.
    """

    family: ClassVar[str] = "attention"
    phase: str
    batch: int
    query_length: int
    key_length: int
    query_heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    dtype: str
    kind: str = "causal"
    window: int | None = None
    prefix: int | None = None
    softcap: float | None = None
    sinks: bool = False
    scale: float | None = None
    latent: bool = False
    memory: bool = False
    decodes: bool = True
    layers: int = 1
    variant: str = "as written"
    mixer: str = "attention"

    @property
    def causal(self) -> bool:
        """Whether a query sees no later key, a prefix left aside."""
        return self.kind not in BIDIRECTIONAL

    @property
    def mask(self) -> Mask:
        """The same visibility in the architecture's terms."""
        return Mask(kind="chunked" if self.kind in BLOCKED else self.kind, window=self.window, prefix=self.prefix)  # type: ignore[arg-type]

    @property
    def factor(self) -> float:
        """What scores are multiplied by."""
        return self.head_dim**-0.5 if self.scale is None else self.scale

    @property
    def past(self) -> int:
        """Keys before the first query."""
        return self.key_length - self.query_length

    @property
    def pairs(self) -> int:
        """Visible pairs of one head and sequence: what the mask leaves, counted exactly."""
        return visible(self.mask, self.query_length, self.past)

    @property
    def seen_keys(self) -> int:
        """Keys that at least one query sees."""
        if self.kind == "sliding" and self.window:
            return min(self.key_length, self.query_length + self.window - 1)
        if self.kind in BLOCKED and self.window:
            return self.key_length - self.past // self.window * self.window
        return self.key_length

    def flops(self, direction: str) -> int:
        """FLOPs over visible pairs, 2 a multiply-add; softmax, mask and softcap count nothing.

        Forward 2 B H_q (d_qk + d_v) pairs; backward 2 B H_q (3 d_qk + 2 d_v) pairs: five products, the scores computed again (arXiv
        2205.14135, algorithm 4), 2.5 times the forward where d_qk = d_v.
        """
        keys, values = PASSES[direction]
        return 2 * self.batch * self.query_heads * (keys * self.head_dim + values * self.value_dim) * self.pairs

    def bytes(self, direction: str) -> int:
        """Bytes that must move at least: every tensor once. Keys that no query sees are left out; softmax statistics count nothing.

        Forward q, k, v and o; backward these and do read, dq, dk and dv written.
        """
        from ..accounting.dtypes import WIDTHS

        values = 0 if self.latent else self.value_dim
        query = self.query_length * self.query_heads * self.head_dim
        out = self.query_length * self.query_heads * self.value_dim
        cached = self.seen_keys * self.kv_heads * (self.head_dim + values)
        elements = query + out + cached if direction == "forward" else 2 * (query + out + cached)
        return int(self.batch * elements * WIDTHS[self.dtype])

    def simplified(self) -> Case:
        """The same visibility in the simplest kind: a window as wide as the keys hides nothing."""
        kind = self.kind
        if (kind == "sliding" or kind in BLOCKED) and (self.window is None or self.window >= self.key_length):
            return replace(self, kind="causal", window=None)
        if kind == "local" and (self.window is None or self.window >= self.key_length - 1):
            return replace(self, kind="bidirectional", window=None)
        if kind == "prefix":
            prefix = self.prefix or 0
            if prefix >= self.key_length:
                return replace(self, kind="bidirectional", prefix=None)
            if prefix <= self.past + 1:
                return replace(self, kind="causal", prefix=None)
        return self

    def row(self, direction: str) -> dict[str, Any]:
        """What a report says of the case."""
        return {
            "direction": direction, "phase": self.phase, "mixer": self.mixer, "variant": self.variant, "dtype": self.dtype,
            "batch": self.batch, "query_length": self.query_length, "key_length": self.key_length, "query_heads": self.query_heads,
            "kv_heads": self.kv_heads, "head_dim": self.head_dim, "value_dim": self.value_dim, "causal": self.causal, "mask": self.kind,
            "window": self.window, "prefix": self.prefix, "layers": self.layers,
        }  # fmt: skip
