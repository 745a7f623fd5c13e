"""One attention problem: its shapes, and the FLOPs and bytes that it stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..accounting.pairs import visible
from ..architecture.masks import Mask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..accounting.walk import Placed
    from ..architecture.model import Architecture

PASSES = {"forward": (1, 1), "backward": (3, 2)}
"""Direction -> products over d_qk and over d_v: scores and values; the scores again, dQ and dK, and dP and dV."""


@dataclass(frozen=True, slots=True)
class Case:
    """Attention of `batch` sequences: `query_length` queries, the last of `key_length` keys (lower-right aligned).

    Tensors: query `[batch, query_heads, n, head_dim]`, key `[batch, kv_heads, m, head_dim]`, value `[batch, kv_heads, m, value_dim]`.
    `causal` false: every query sees every key. `window`: the last keys a query sees, its own included. `softcap` bounds the scores by
    c * tanh(s / c), before the mask. `scale` null is head_dim ** -0.5. `latent`: keys are latents with a rotary part, and a value is
    the first value_dim columns of its key. `layers`: how many layers of the config are alike. `phase` names what it stands for.
    """

    phase: str
    batch: int
    query_length: int
    key_length: int
    query_heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    dtype: str
    causal: bool = True
    window: int | None = None
    softcap: float | None = None
    sinks: bool = False
    scale: float | None = None
    latent: bool = False
    layers: int = 1
    variant: str = "as written"

    @property
    def mask(self) -> Mask:
        """The same visibility in the architecture's terms."""
        if not self.causal:
            return Mask(kind="bidirectional")
        return Mask() if self.window is None else Mask(kind="sliding", window=self.window)

    @property
    def windowed(self) -> bool:
        """Whether the window hides anything at this length."""
        return self.causal and self.window is not None and self.window < self.key_length

    @property
    def factor(self) -> float:
        """What scores are multiplied by."""
        return self.head_dim**-0.5 if self.scale is None else self.scale

    @property
    def pairs(self) -> int:
        """Visible pairs of one head and sequence: what mask and window leave, counted exactly."""
        return visible(self.mask, self.query_length, self.key_length - self.query_length)

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

        seen = min(self.key_length, self.query_length + self.window - 1) if self.windowed and self.window else self.key_length
        values = 0 if self.latent else self.value_dim
        query = self.query_length * self.query_heads * self.head_dim
        out = self.query_length * self.query_heads * self.value_dim
        cached = seen * self.kv_heads * (self.head_dim + values)
        elements = query + out + cached if direction == "forward" else 2 * (query + out + cached)
        return int(self.batch * elements * WIDTHS[self.dtype])


def of(placed: Placed, dtype: str) -> list[Case] | str:
    """The cases of one mixer, with lengths of 1 for the caller to replace; or why it is not measured."""
    mixer: Any = placed.mixer
    if mixer.kind not in ("attention", "latent_attention"):
        return f"{mixer.kind} is no softmax attention of its own keys"
    kind = mixer.mask.kind
    if kind not in ("causal", "bidirectional", "sliding", "document", "prefix"):
        return f"no kernel here takes a {kind} mask"
    if getattr(mixer, "passes", 1) != 1 or getattr(mixer, "indexer", None) is not None:
        return "differential or sparsely indexed attention is not measured"
    common: dict[str, Any] = {
        "batch": 1, "query_length": 1, "key_length": 1, "query_heads": mixer.query_heads, "dtype": dtype, "causal": kind != "bidirectional",
        "window": mixer.mask.window if kind == "sliding" else None, "softcap": mixer.softcap, "sinks": mixer.sinks, "scale": mixer.scale,
        "layers": placed.count,
    }  # fmt: skip
    if mixer.kind == "attention":
        return [
            Case(phase="", kv_heads=mixer.kv_heads, head_dim=mixer.head_dim, value_dim=mixer.values, **common),
        ]
    width = mixer.nope_dim + mixer.rope_dim
    common["scale"] = width**-0.5 if mixer.scale is None else mixer.scale
    executed = Case(phase="", kv_heads=mixer.query_heads, head_dim=width, value_dim=mixer.value_dim, variant="mla executed", **common)
    rank = mixer.kv_rank
    absorbed = Case(phase="", kv_heads=1, head_dim=rank + mixer.rope_dim, value_dim=rank, latent=True, variant="mla absorbed", **common)
    return [executed, absorbed]


def layers(a: Architecture, dtype: str) -> tuple[list[Case], list[dict[str, Any]]]:
    """(the different attention layers of an architecture, mixers that are not measured with the reason)."""
    from ..accounting.walk import mixers

    found: dict[Case, int] = {}
    left: dict[tuple[str, str], int] = {}
    for placed in mixers(a):
        if placed.mixer.component not in ("attention", "cross_attention", "ssm", "scan", "linear_attention"):
            continue
        cases = of(placed, dtype)
        if isinstance(cases, str):
            left[placed.mixer.kind, cases] = left.get((placed.mixer.kind, cases), 0) + placed.count
            continue
        for case in cases:
            alike = replace(case, layers=1)
            found[alike] = found.get(alike, 0) + case.layers
    return [replace(case, layers=count) for case, count in found.items()], [
        {"kind": kind, "layers": count, "why": why} for (kind, why), count in left.items()
    ]


def varied(case: Case) -> Iterator[Case]:
    """MHA, GQA and MQA with the query heads of the case: the groups of the case where it has some, else four heads a group."""
    if case.latent or case.variant != "as written":
        yield case
        return
    heads = case.query_heads
    grouped = case.kv_heads if 1 < case.kv_heads < heads else max(1, heads // 4)
    for name, kv in (("mha", heads), (f"gqa:{grouped}", grouped), ("mqa", 1)):
        if name in ("mha", "mqa") or 1 < kv < heads:
            yield replace(case, kv_heads=kv, variant=name)


def placed_at(case: Case, phase: str, batch: int, context: int, new: int) -> Case:
    """The case at a length: `prefill` is n = m = context, `decode` is `new` queries, the last of `context` keys."""
    queries = context if phase == "prefill" else min(new, context)
    return replace(case, phase=phase, batch=batch, query_length=queries, key_length=context)
