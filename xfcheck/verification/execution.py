"""A build run on `meta`: FLOPs as torch counts them, bytes of what stays between passes, the shape of every activation."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from ..accounting.budget import encodes_only
from ..accounting.walk import mixers
from ..torch_build.model import build
from ..torch_build.passes import Pass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.model import Architecture

BATCH, TOKENS, SOURCE = 2, 37, 11
"""Sequences, tokens of each (more where a window is wider), tokens that an encoder beside a decoder reads: all different."""
IMAGE, AUDIO = 23, 19
"""Vectors of an image and of sound that towers read."""
LONGEST = 40_000


@dataclass
class Executed:
    """One prefill of `batch` x `tokens` (and `source`, `image`, `audio`) and one more token; FLOPs and bytes of the whole model.

    `stateless`: the model has a next token and keeps nothing for it. `seen`: activation -> shape.
    """

    batch: int
    tokens: int
    source: int
    image: int = IMAGE
    audio: int = AUDIO
    prefill: int = 0
    decode: int | None = None
    cache: int = 0
    later: int | None = None
    stateless: bool = False
    seen: dict[str, tuple[int, ...]] = field(default_factory=dict)


def lengths(a: Architecture) -> tuple[int, int]:
    """(tokens, source): past every window, so that what a window keeps shows."""
    windows = [0]
    for placed in mixers(a):
        mask = getattr(placed.mixer, "mask", None)
        windows += [w for w in (getattr(placed.mixer, "kept_tokens", None), None if mask is None else mask.window) if w]
    tokens = max(TOKENS, min(max(windows) + 5, LONGEST))
    encoder = next((s for s in a.stacks if s.stream == "encoder"), None)
    if encoder is None:
        return tokens, 0
    if all(s.stream == "encoder" for s in a.stacks):
        alone = encoder.fixed_length or tokens
        return alone, alone
    return tokens, encoder.fixed_length or SOURCE


def execute(a: Architecture) -> Executed:
    """Build on `meta` in bfloat16 and run. Raises NotImplementedError for what has no forward."""
    tokens, source = lengths(a)
    out = Executed(BATCH, tokens, source)
    model = build(a, dtype=torch.bfloat16)
    totals: dict[str, int] = {"flops": 0}

    @contextmanager
    def count(times: int) -> Iterator[None]:
        with FlopCounterMode(display=False) as counter:
            yield
        totals["flops"] += times * int(counter.get_total_flops())

    def see(name: str, value: Any) -> None:
        out.seen.setdefault(name, tuple(value.shape))

    with torch.no_grad():
        run = Pass(count=count, see=see, image=out.image, audio=out.audio)
        model(_ids(BATCH, tokens), run, _ids(BATCH, source))
        out.prefill, out.cache = totals["flops"], run.kept_bytes()
        if not encodes_only(a):
            totals["flops"] = 0
            run = run.following(tokens)
            run.see = None
            model(_ids(BATCH, 1), run)
            out.decode, out.later = totals["flops"], run.kept_bytes()
            out.stateless = not out.later
    return out


def _ids(batch: int, tokens: int) -> torch.Tensor:
    return torch.zeros(batch, tokens, dtype=torch.long, device="meta")
