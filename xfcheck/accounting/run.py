"""What is computed: how many tokens of which stream pass in one forward."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..architecture.blocks import Padding

STREAMS = ("text", "decoder", "encoder", "cross", "latent", "pooled", "given", "delayed", "absent", "image", "audio")


class Run(NamedTuple):
    """One forward pass.

    `batch` sequences, `new` tokens of each passing now after `past` cached ones, `source` tokens of an encoder's input (passed once, in
    the prefill), `image` and `audio` tokens of the towers. `padding` is what some stacks' streams carry beside their tokens.
    """

    batch: int
    new: int
    past: int = 0
    source: int = 0
    image: int = 0
    audio: int = 0
    padding: Mapping[str, Padding] = {}

    @property
    def first(self) -> bool:
        """Whether this is the pass that reads the prompt (and the encoder's input)."""
        return self.past == 0

    def tokens(self, stream: str, kept: int | None = None) -> int:
        """Vectors of a stream that a matrix multiplies in this pass, over the whole batch.

        `text`, `decoder`: the new tokens. `given`: the same, never filled up. `encoder`, `cross`: the source, in the first pass alone.
        `latent`: every cached token (at most `kept`) and the new ones. `memory`: the source in every pass. `both`: the new tokens, and the
        source in the first. `pooled`: one a sequence, in every pass. `once`: one a sequence in the first. `delayed`: the new tokens, and in
        the first pass one of zeros before them. `absent`: none. Other streams are those of stacks that pool or replace the new tokens, as
        their padding says. Raises KeyError for an unknown stream.
        """
        each = {
            "text": self.new, "decoder": self.new, "given": self.new,
            "latent": (self.past if kept is None else min(self.past, kept)) + self.new, "absent": 0,
            "encoder": self.source if self.first else 0, "cross": self.source if self.first else 0, "memory": self.source,
            "both": self.new + (self.source if self.first else 0), "once": 1 if self.first else 0, "pooled": 1,
            "delayed": self.new + (1 if self.first else 0),
            "image": self.image if self.first else 0, "audio": self.audio if self.first else 0,
        }  # fmt: skip
        padding = self.padding.get(stream)
        tokens = self.new if padding is not None and stream not in each else each[stream]
        if padding is None or not tokens:
            return self.batch * tokens
        return self.batch * (padding.filled(tokens) + padding.extra + (padding.prompts if self.first else 0))

    def filled(self, stream: str) -> int:
        """Tokens of one sequence as a stack's stream is filled up, in this pass; `length` gives those that count."""
        new, _ = self.length(stream)
        padding = self.padding.get(stream)
        return new if padding is None else padding.filled(new)

    def length(self, stream: str) -> tuple[int, int]:
        """(queries, keys before them) of self-attention over a stack's stream, in one sequence."""
        if stream == "encoder":
            return (self.source, 0) if self.first else (0, 0)
        if stream in ("image", "audio"):
            return (self.tokens(stream) // self.batch, 0)
        padding = self.padding.get(stream)
        before = 0 if padding is None else padding.prompts
        return (self.new + before, 0) if self.first else (self.new, self.past + before)
