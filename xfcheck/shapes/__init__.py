"""The shape ledger: every activation from token ids to logits, with symbols and with numbers. No torch.

Symbols: B batch, n tokens (the source's in an encoder-decoder, whose decoder has m), d hidden size, H_q and H_kv heads, d_h and d_v their
widths, d_ff, V vocabulary, k experts a token, d_e their width, r ranks of latents, d_i the width inside a recurrence and N its state.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING

from ..accounting.dtypes import size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.blocks import Block, Stack, Sublayer
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer

KINDS = {
    "attention": "attention",
    "cross_attention": "attention",
    "latent_attention": "latent_attention",
    "mlp": "mlp",
    "moe": "moe",
    "mamba": "recurrent",
    "mamba2": "recurrent",
    "gated_delta": "recurrent",
    "lightning_attention": "recurrent",
    "short_convolution": "recurrent",
    "kimi_delta": "recurrent",
    "linear_attention": "recurrent",
    "rg_lru": "recurrent",
    "time_mix": "recurrent",
    "mlstm": "recurrent",
    "fourier": "recurrent",
    "channel_mix": "mlp",
    "grouped_mlp": "mlp",
    **dict.fromkeys(
        [
            "grouped_attention",
            "landmark_attention",
            "expert_attention",
            "indexed_attention",
            "block_indexed_attention",
            "merged_attention",
            "convolved_attention",
            "memory_attention",
            "disentangled_attention",
            "mixed_convolution",
        ],
        "attention",
    ),
}
"""Kinds of mixers whose activations are known -> modules of `shapes.mixers`."""

FILTER = 3
"""Axes of a convolution's weight, `[out, in, width]`."""

TOWERS = ("image", "audio")
"""Streams of stacks that read no token ids."""
Dims = list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Activation:
    """One tensor of a forward pass: `dims` are (symbol, number); `layers` how many layers make the like.

    `materialised`: whether it exists as a whole where attention is computed in tiles (arXiv 2205.14135): scores and weights then do not.
    """

    name: str
    dims: tuple[tuple[str, int], ...]
    dtype: str
    layers: int = 1
    materialised: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers."""
        return tuple(number for _, number in self.dims)

    @property
    def bytes(self) -> int:
        """Bytes of one of them."""
        return size(prod(self.shape), self.dtype)


@dataclass(frozen=True, slots=True)
class Where:
    """Lengths and dtype of a pass, the stack's width and what a name begins with.

    `tokens` are the queries of the stack, `memory` the tokens of the other stream.
    """

    batch: int
    tokens: tuple[str, int]
    memory: tuple[str, int]
    hidden: int
    dtype: str
    name: str = ""
    layers: int = 1

    @property
    def flat(self) -> Dims:
        """All tokens of the batch as rows."""
        return [(f"B*{self.tokens[0]}", self.batch * self.tokens[1])]

    @property
    def stream(self) -> Dims:
        """[B, n]."""
        return [("B", self.batch), self.tokens]

    def row(self, name: str, dims: Dims, *, dtype: str | None = None, materialised: bool = True) -> Activation:
        """An activation of this place."""
        return Activation(f"{self.name}.{name}" if self.name else name, tuple(dims), dtype or self.dtype, self.layers, materialised)


def ledger(
    a: Architecture, *, batch: int, length: int, source: int, dtype: str, image: int | None = None, audio: int | None = None
) -> list[Activation]:
    """The activations of one pass over `batch` sequences of `length` tokens; an encoder beside a decoder reads `source`.

    Towers read `image` and `audio` vectors, as many as an image's or a sound's encoder makes (null: their activations are left out).
    """
    both = any(s.stream == "encoder" for s in a.stacks) and a.main.stream != "encoder"
    own, other = (("m", length), ("n", source)) if both else (("n", length), ("n", source))
    beside = {"image": ("n_image", image), "audio": ("n_audio", audio)}
    out: list[Activation] = []
    for stack in sorted(a.stacks, key=lambda s: s.stream == a.main.stream):
        name, number = beside.get(stack.stream, ("", 0))
        if number is None:
            continue
        tower = bool(name)
        encodes = both and stack.stream == "encoder"
        tokens = (name, number) if tower else other if encodes else own
        where = Where(batch, tokens, tokens if tower else other, stack.hidden_size, dtype)
        if stack is a.main or encodes:
            out += _ends(stack, where, "source_" if encodes else "", _blocks(stack, where))
        else:
            out += _blocks(stack, where)
    out += _head(a, Where(batch, own, other, a.main.hidden_size, dtype))
    return out


def unknown(a: Architecture) -> list[str]:
    """What is left out: kinds of mixers without a list of activations, stacks whose tokens change in number, models inside a model."""
    kinds = {mixer.kind for stack in a.stacks for block in stack.blocks for sub in block.sublayers for mixer in sub.mixers}
    out = [f"mixers of kind {kind!r}" for kind in sorted(kinds - KINDS.keys())]
    if any(stack.padding is not None for stack in a.stacks):
        out.append("a stack that pads or pools its tokens")
    out += [f"the tower over {stream}, whose vectors no length gives" for stream in TOWERS if any(s.stream == stream for s in a.stacks)]
    return out


def _ends(stack: Stack, where: Where, first: str, inside: Iterator[Activation]) -> Iterator[Activation]:
    """What a stack of tokens reads and gives, around its layers.

    Before convolutions it reads features of as many channels as the first takes, `uses` of them for each of the stack's vectors.
    """
    filters = [p for p in stack.projections if len(p.shape) == FILTER]
    if filters and stack.embedding is not None and not stack.embedding.rows:
        symbol, number = where.tokens
        length = (f"{filters[0].uses}*{symbol}" if filters[0].uses > 1 else symbol, filters[0].uses * number)
        yield where.row(f"{first}features", [("B", where.batch), ("bins", filters[0].shape[1]), length])
    else:
        yield Activation(f"{first}token_ids", tuple(where.stream), "int64")
    yield where.row(f"{first}embedding", [*where.stream, ("d", where.hidden)])
    yield from inside
    yield where.row("final_norm" if not first else "memory", [*where.stream, ("d", where.hidden)])


def _blocks(stack: Stack, where: Where) -> Iterator[Activation]:
    name = stack.name or stack.stream
    for block in sorted(
        (b for b in stack.blocks if len(b.layers) and b.stream != "absent"), key=lambda b: min(r.start for r in b.layers.ranges)
    ):
        layers = len(block.layers) * block.uses
        yield from _block(block, Where(where.batch, where.tokens, where.memory, where.hidden, where.dtype, f"{name}.{block.name}", layers))


def _block(block: Block, where: Where) -> Iterator[Activation]:
    for sublayer in block.sublayers:
        yield from _sublayer(sublayer, where)


def _sublayer(sublayer: Sublayer, where: Where) -> Iterator[Activation]:
    whole: Dims = [*where.stream, ("d", where.hidden)]
    if sublayer.norm is not None:
        wide = sublayer.norm.size
        yield where.row(f"{sublayer.name}.norm", whole if wide in (None, where.hidden) else [*where.stream, ("d_in", wide or 0)])
    for mixer in sublayer.mixers:
        if mixer.kind in KINDS:
            yield from _mixer(mixer, sublayer, where)
    yield where.row(f"{sublayer.name}.residual", whole)


def _mixer(mixer: Mixer, sublayer: Sublayer, where: Where) -> Iterator[Activation]:
    inside = Where(
        where.batch, where.tokens, where.memory, where.hidden, where.dtype, f"{where.name}.{sublayer.name}.{mixer.slot}", where.layers
    )
    found: Iterator[Activation] = import_module(f"{__package__}.mixers.{KINDS[mixer.kind]}").activations(mixer, inside)
    return found


def _head(a: Architecture, where: Where) -> Iterator[Activation]:
    h, hidden = a.head, a.main.hidden_size
    width = h.width or (hidden if a.embedding is None or a.embedding.width is None else a.embedding.width)
    transformed = where.row("transform", [*where.stream, ("d_head", width)])
    if h.transform and not h.rows:
        yield transformed
    if h.pooler:
        yield where.row("pooled", [("B", where.batch), ("d", hidden)])
    if h.labels:
        per_token = h.kind in ("token_classification", "question_answering") or (h.kind == "sequence_classification" and not h.pooler)
        per_token = per_token if h.per_sequence is None else not h.per_sequence
        yield where.row("labels", [*(where.stream if per_token else [("B", where.batch)]), ("labels", h.labels)])
    if h.in_base or h.kind in ("causal", "masked", "seq2seq", "pretraining"):
        if h.transform and h.rows:
            yield transformed
        yield where.row("logits", [*where.stream, ("V", h.rows)])
