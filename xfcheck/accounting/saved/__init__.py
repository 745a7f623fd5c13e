"""Bytes that training keeps of one pass for the next one backward: closed forms, one module a kind of mixer.

Held to torch: `verify` counts what autograd keeps of the generic modules, and with `--against transformers` of the reference's.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..dtypes import WIDTHS
from .norms import WIDE, norm
from .tape import Tape, UnknownError, Value

if TYPE_CHECKING:
    from types import ModuleType

    from ...architecture.blocks import Block, Stack, Sublayer
    from ...architecture.model import Architecture
    from ..run import Run

KINDS = (
    "attention", "cross_attention", "latent_attention", "mlp", "moe", "mamba", "mamba2", "gated_delta", "short_convolution",
    "lightning_attention", "rg_lru", "time_mix", "channel_mix", "kimi_delta",
)  # fmt: skip
"""Kinds of mixers that have a module here."""


class Kept(NamedTuple):
    """Bytes a pass keeps, by what is computed again; `unknown` names the component that hinders it, and then there are no bytes."""

    none: int | None
    selective: int | None
    full: int | None
    unknown: str | None = None

    def by(self) -> dict[str, int | None]:
        """By name of the recomputation."""
        return {"none": self.none, "selective": self.selective, "full": self.full}


def kept(a: Architecture, dtype: str, run: Run) -> Kept:
    """What is kept of a pass and its loss.

    `none`: scores written out, as an eager kernel does. `selective`: attention in a tiled kernel, which computes them again. `full`: the
    input of every layer, and one layer whole (tiled) while it is computed again. Without dropout; the loss keeps log-probabilities in 32
    bits.
    """
    width = WIDTHS[dtype]
    if width.denominator != 1:
        return Kept(None, None, None, f"weights of {dtype}")
    try:
        eager, tiled = (passed(a, run, int(width), tiled=t) for t in (False, True))
        return Kept(eager.total, tiled.total, tiled.inputs + tiled.largest + tiled.outside)
    except UnknownError as unknown:
        return Kept(None, None, None, str(unknown))


@cache
def _record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parent / "_verified.json").read_bytes())
    return found


def held(model_type: str) -> bool:
    """Whether the reference's class of this type was counted to keep the same (scripts/prove_activations.py)."""
    return model_type in _record()["types"]


def reference() -> str:
    """What it was counted on."""
    return str(_record()["reference"])


class Passed(NamedTuple):
    """Bytes of a pass: of all layers, of the widest layer, of their inputs, of what stands outside of layers."""

    layers: int
    largest: int
    inputs: int
    outside: int

    @property
    def total(self) -> int:
        """All that is kept."""
        return self.layers + self.outside


def passed(a: Architecture, run: Run, width: int, *, tiled: bool, loss: bool = True) -> Passed:
    """One pass over every stack. Raises UnknownError for a component whose operations are not known here."""
    _refuse(a.projections, "", run, tables=True)
    layers = largest = inputs = outside = 0
    memory = None
    for stack in sorted(a.stacks, key=lambda s: s.stream != "encoder"):
        if not _passes(stack.stream, run):
            continue
        if stack.stream not in ("text", "encoder", "decoder"):
            raise UnknownError(f"the stream {stack.stream!r}")
        tape, last = _tape(stack, run, width, tiled=tiled), None
        x = _embedded(tape, a, stack, run)
        outside += tape.bytes
        for block in stack.blocks:
            inner = _tape(stack, run, width, tiled=tiled)
            given = inner.make(stack.hidden_size)
            last = _block(inner, block, stack, given, memory, run)
            count = len(block.layers) * block.uses
            layers += inner.bytes * count
            inputs += int(given.elements) * width * count
            largest = max(largest, inner.bytes)
        end = _tape(stack, run, width, tiled=tiled)
        out = norm(end, stack.final_norm, end.like(x if last is None else last), size=stack.hidden_size)
        if stack is a.main:
            _head(end, a, out, loss=loss)
        elif stack.stream == "encoder":
            end.keep(out)
            memory = out
        outside += end.bytes
    return Passed(layers, largest, inputs, outside)


def _tape(stack: Stack, run: Run, width: int, *, tiled: bool) -> Tape:
    if stack.padding is not None:
        raise UnknownError("a stack that pads or pools its tokens")
    new = run.length(stack.stream)[0]
    return Tape(run.batch, new, width, tiled=tiled, source=run.source)


def _passes(stream: str | None, run: Run) -> bool:
    """Whether any of a stream's vectors pass: images and sounds may be none."""
    return stream != "absent" and (stream not in ("image", "audio") or bool(run.tokens(stream)))


def _embedded(tape: Tape, a: Architecture, stack: Stack, run: Run) -> Value:
    """Vectors of tokens, which are looked up: nothing is kept but by a norm of them and by the map from a narrower table."""
    _refuse(stack.projections, "", run, tables=True)
    owner = stack.embedding if stack.embedding is not None and stack.embedding.rows else a.embedding
    hidden = stack.hidden_size
    x = tape.make(hidden if owner is None or owner.width is None else owner.width)
    narrow = stack.embedding_norm is not None and stack.embedding_norm.size not in (None, hidden)
    if narrow:
        x = norm(tape, stack.embedding_norm, x)
    if owner is not None and owner.projection:
        x = tape.linear(x, hidden)
    return x if narrow else norm(tape, stack.embedding_norm, x, size=hidden)


def _head(tape: Tape, a: Architecture, x: Value, *, loss: bool) -> None:
    from .functions import activate

    h, hidden = a.head, a.main.hidden_size
    one = Tape(tape.batch, 1, tape.width, tiled=tape.tiled)
    pooled = None
    if h.pooler and (h.labels or not h.rows):
        tape.keep(x)
        pooled = one.own(one.make(hidden))
    if h.rows:
        width = h.width or (hidden if a.embedding is None or a.embedding.width is None else a.embedding.width)
        inner = x
        if h.transform:
            inner = norm(tape, h.transform_norm, activate(tape, "gelu", tape.linear(x, width)), size=width)
        scores = tape.linear(inner, h.rows)
        scores = scores if h.softcap is None else tape.own(scores)
        if loss:
            tape.keep(tape.like(scores, WIDE))
    if h.labels:
        if pooled is not None:
            one.keep(pooled)
        else:
            tape.keep(x)
    tape.bytes += one.bytes


def _block(tape: Tape, block: Block, stack: Stack, x: Value, memory: Value | None, run: Run) -> Value:
    if not _passes(block.stream, run):
        return x
    if block.stream is not None:
        raise UnknownError(f"a block of the stream {block.stream!r}")
    _refuse(block.projections, block.name, run)
    for sublayer in block.sublayers:
        if sublayer.mixers and all(getattr(mixer, "memory", None) == "absent" for mixer in sublayer.mixers):
            continue  # a decoder without its encoder leaves the step out, its norm too
        _refuse(sublayer.projections, sublayer.name, run)
        x = _sublayer(tape, sublayer, stack.hidden_size, x, memory)
    return x


def _sublayer(tape: Tape, sublayer: Sublayer, hidden: int, x: Value, memory: Value | None) -> Value:
    normed = norm(tape, sublayer.norm, x, size=hidden)
    out = tape.make(hidden)
    for mixer in sublayer.mixers:
        given = norm(tape, sublayer.mixer_norms[mixer.slot], x, size=hidden) if mixer.slot in sublayer.mixer_norms else normed
        if mixer.kind not in KINDS:
            raise UnknownError(f"mixers of kind {mixer.kind!r}")
        more: dict[str, Any] = {"memory": memory} if mixer.kind == "cross_attention" else {}
        out = _module(mixer.kind).run(tape, mixer, given, hidden, **more)
    if len(sublayer.mixers) > 1:
        out = tape.make(hidden)
    out = norm(tape, sublayer.norm_after, out if sublayer.mixers else x, size=hidden)
    out = tape.scaled(out) if sublayer.layer_scale else out
    return norm(tape, sublayer.norm_residual, tape.make(hidden) if sublayer.residual else out, size=hidden)


def _refuse(projections: Any, where: str, run: Run, *, tables: bool = False) -> None:
    """Raises UnknownError for a weight of which it is not known where it stands; `tables`: one that only adds to vectors keeps nothing."""
    for projection in projections:
        if projection.buffer or not _passes(projection.stream, run) or (tables and not projection.multiplies):
            continue
        raise UnknownError(f"the projection {projection.name!r}" + (f" of {where}" if where else ""))


@lru_cache(maxsize=32)
def _module(kind: str) -> ModuleType:
    return import_module(f"{__package__}.mixers.{kind}")
